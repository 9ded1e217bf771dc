import { foreign } from './problem.ts'

const JSON_TYPE = /^(application\/([\w.-]+\+)?json|application\/vc|)$/
/** Lines, tokens, PEM and pictures in XML are texts too. */
const TEXT_TYPE = /^(text\/.+|application\/(jsonl|x-ndjson|jose|pem-certificate-chain)|.+\/([\w.-]+\+)?(jwt|xml))$/

/** What an answer holds, by its media type: JSON, a text, or bytes as a `Blob`. A page is no answer of an operation. */
export async function contentOf(response: Response): Promise<unknown> {
  const [type = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(/\s*;/)
  if (JSON_TYPE.test(type)) return jsonOf(response, await response.text())
  if (type === 'text/html') throw foreign(response, response.url)
  return TEXT_TYPE.test(type) ? response.text() : response.blob()
}

function jsonOf(response: Response, text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw foreign(response, response.url)
  }
}
