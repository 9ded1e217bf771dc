import type { SourceFormat } from '../sources.ts'
import { listJson, verifiedJson } from './jws.ts'
import { boundedList, type EtsiList } from './listed.ts'
import { readLoteOfLists } from './lote.lists.ts'
import { readLote } from './lote.ts'
import type { ListOfLists, Wanted } from './pointers.ts'
import { type Signers, type SignersText, signersOf } from './signers.ts'
import { readLotl } from './xml/lotl.ts'
import { verifiedXml } from './xml/signature.ts'
import { readTsl } from './xml/tsl.ts'

/** A list as it was fetched or sent. */
export interface ListText extends Omit<SignersText, 'signers'> {
  format: SourceFormat
  text: string
  /** PEM: one of them has signed the list; undefined: it needs no signature. */
  signers: readonly string[] | undefined
}

/** A list that was verified. */
export interface SignedList extends EtsiList {
  /** The name of the key that signed it; undefined: nobody had to. */
  signedBy: string | undefined
}

const READERS: Readonly<Record<SourceFormat, (list: ListText) => Promise<SignedList>>> = {
  async 'ts-119-602'({ text, signers, ...named }) {
    if (!signers) return { ...readLote(listJson(Buffer.from(text))), signedBy: undefined }
    const { content, signedBy } = await verifiedJson(text, signersOf({ signers, ...named }))
    return { ...readLote(content), signedBy }
  },
  async 'ts-119-612'({ text, signers, ...named }) {
    if (!signers) return { ...readTsl(text), signedBy: undefined }
    const signed = verifiedXml(text, signersOf({ signers, ...named }))
    return { ...readTsl(signed.text), signedBy: signed.signedBy }
  },
}

/** Verifies and reads a list. Throws `Refusal('trust_list.source_signature')`, `…source_invalid`, `…source_too_large`. */
export const readEtsiList = async ({ text, ...list }: ListText): Promise<SignedList> =>
  // a mark of the order of bytes is white space here
  boundedList(await READERS[list.format]({ ...list, text: text.trim() }))

/** A list of lists as it was fetched. */
export interface ListOfListsText extends Wanted, SignersText {
  format: SourceFormat
  text: string
}

/** A list of lists that was verified. */
export interface SignedListOfLists extends ListOfLists {
  /** The name of the key that signed it. */
  signedBy: string
}

const READERS_OF_LISTS: Readonly<
  Record<SourceFormat, (text: string, signers: Signers, wanted: Wanted) => Promise<SignedListOfLists>>
> = {
  async 'ts-119-602'(text, signers, wanted) {
    const { content, signedBy } = await verifiedJson(text, signers)
    return { ...readLoteOfLists(content, wanted), signedBy }
  },
  async 'ts-119-612'(text, signers, wanted) {
    const signed = verifiedXml(text, signers)
    return { ...readLotl(signed.text, wanted), signedBy: signed.signedBy }
  },
}

/** Verifies and reads a list of lists. Throws as `readEtsiList` does; that it names nobody is said in what it returns. */
export const readListOfLists = ({
  format,
  text,
  signers,
  lapsed,
  whose,
  ...wanted
}: ListOfListsText): Promise<SignedListOfLists> =>
  READERS_OF_LISTS[format](text.trim(), signersOf({ signers, lapsed, whose }), wanted)
