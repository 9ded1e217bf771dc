import { isLanguage, type Language } from './index.ts'

const YEAR_SECONDS = 31_536_000

/** The language that the reader has chosen in this browser. */
export function chosenLanguage(): Language | undefined {
  const [, name = ''] = /(?:^|; )language=(\w+)/.exec(document.cookie) ?? []
  return isLanguage(name) ? name : undefined
}

/** A cookie with two letters is all that scripts of the console keep: it says nothing of a person. */
export function keepLanguage(language: Language): void {
  const safe = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API
  document.cookie = `language=${language}; SameSite=Strict; Path=/console; Max-Age=${YEAR_SECONDS}${safe}`
}
