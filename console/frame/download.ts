/** Hands a file to the reader, whose browser asks where it goes or puts it to the downloads. */
export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // the browser has begun to read it by then
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

interface Picker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<{
    createWritable(): Promise<WritableStream<Uint8Array>>
  }>
}

const isCancelled = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

/**
 * Saves an answer of the platform, whose address needs the token. A large one goes straight to the disk where the browser
 * can write there, so that it is never in memory as a whole; elsewhere the browser holds it until it is saved.
 */
export async function saveStream(
  name: string,
  isLarge: boolean,
  ask: () => Promise<ReadableStream<Uint8Array> | null | undefined>,
): Promise<void> {
  const { showSaveFilePicker } = window as Picker
  if (isLarge && showSaveFilePicker) {
    let file: Awaited<ReturnType<typeof showSaveFilePicker>>
    try {
      // before the answer: the browser opens the dialog only right after a click
      file = await showSaveFilePicker({ suggestedName: name })
    } catch (error) {
      if (isCancelled(error)) return
      throw error
    }
    const target = await file.createWritable()
    const stream = await ask()
    await (stream ? stream.pipeTo(target) : target.close())
    return
  }
  save(name, await new Response((await ask()) ?? null).blob())
}
