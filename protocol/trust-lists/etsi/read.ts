import { certificateOfPem } from '../../mobile-credentials/certificates.read.ts'
import type { SourceFormat } from '../sources.ts'
import { listJson, verifiedJson } from './jws.ts'
import { boundedList, type EtsiList } from './listed.ts'
import { readLote } from './lote.ts'
import { type ListOfLists, readLotl } from './xml/lotl.ts'
import { verifiedXml } from './xml/signature.ts'
import { readTsl } from './xml/tsl.ts'

/** A list as it was fetched or sent. */
export interface ListText {
  format: SourceFormat
  text: string
  /** PEM: one of them has signed the list; undefined: it needs no signature. */
  signers: readonly string[] | undefined
}

const READERS: Readonly<Record<SourceFormat, (list: ListText) => EtsiList | Promise<EtsiList>>> = {
  async 'ts-119-602'({ text, signers }) {
    if (!signers) return readLote(listJson(Buffer.from(text)))
    return readLote(await verifiedJson(text, certificatesOf(signers)))
  },
  'ts-119-612': ({ text, signers }) => readTsl(signers ? verifiedXml(text, certificatesOf(signers)) : text),
}

const certificatesOf = (signers: readonly string[]) => signers.flatMap((pem) => certificateOfPem(pem) ?? [])

/** Verifies and reads a list. Throws `Refusal('trust_list.source_signature')`, `…source_invalid`, `…source_too_large`. */
export const readEtsiList = async ({ text, ...list }: ListText): Promise<EtsiList> =>
  // a mark of the order of bytes is white space here
  boundedList(await READERS[list.format]({ ...list, text: text.trim() }))

/** A list of lists as it was fetched. */
export interface ListOfListsText {
  text: string
  /** PEM: one of them has signed it. */
  signers: readonly string[]
  /** Of the list whose signers are wanted. */
  location: string
}

/** Verifies and reads a list of lists. Throws as `readEtsiList` does, and `Refusal('trust_list.lotl_…')`. */
export const readListOfLists = async ({ text, signers, location }: ListOfListsText): Promise<ListOfLists> =>
  readLotl(verifiedXml(text.trim(), certificatesOf(signers)), location)
