import { Refusal } from '../../protocol/errors.ts'

export const credentialNotFound = () => new Refusal('credential.not_found', 'There is no such credential.')

export const listNotFound = () => new Refusal('status_list.not_found', 'There is no such revocation list.')

export const notRevocable = () =>
  new Refusal('credential.not_revocable', 'The credential was signed with revocable false: it has no status.')
