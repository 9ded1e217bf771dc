import { Refusal } from '../errors.ts'
import { readCalledUrl } from '../hosts/urls.ts'

const refuse = (rule: string, message: string): never => {
  throw new Refusal('webhook.invalid_url', `The URL of the webhook cannot be used: ${message}.`, [
    { path: 'url', code: rule, message: 'expected an https URL such as https://receiver.example.com/webhooks' },
  ])
}

/**
 * Checks the URL of a receiver, and returns it as it is called: host in ASCII and lower case, no usual port
 * (specification, Events 3). Does not query DNS: the address of the host is checked at each delivery. `allowPrivate`:
 * http and hosts of this machine will do as well. Throws `Refusal('webhook.invalid_url')` that names the broken rule.
 */
export function readWebhookUrl(text: string, { allowPrivate = false } = {}): string {
  const read = readCalledUrl(text, { allowPrivate })
  return 'url' in read ? read.url : refuse(read.fault.rule, read.fault.message)
}

/** The same refusal for a rule of all outbound calls, of which the webhook's URL breaks one. */
export const refusedByOutbound = (code: string, message: string): never =>
  refuse(code.replace(/^outbound\./, ''), message.replace(/\.$/, '').replace(/^The URL/, 'the URL'))
