import { Tag } from 'cbor2'

export { Tag }

/** A data item of CBOR (RFC 8949) as we read and write it: maps are Maps, and tags keep their number and have no effect. */
export type Cbor = null | undefined | boolean | number | bigint | string | Uint8Array | Tag | Cbor[] | CborMap
export type CborMap = Map<CborKey, Cbor>
/** COSE, CWT and ISO/IEC 18013-5 have integers and texts as keys. */
export type CborKey = number | string

export const isCborMap = (value: Cbor): value is CborMap => value instanceof Map
export const isTag = (value: Cbor): value is Tag => value instanceof Tag
