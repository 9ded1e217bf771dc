import type { ProblemTable } from '../frame/openapi/document.ts'

/** Problems of trust lists: of the list (`source_…`), and of the list of lists that names its signers (`lotl_…`). */
export const TRUST_LIST_PROBLEMS = {
  400: {
    'trust_list.invalid': {
      meaning: 'The trust list cannot be used; errors names each place and rule.',
      remedy:
        'Send one or more formats and 1 to 200 entries, each with either a certificate in PEM or an identifier, and for each format an entry that it can name an issuer by.',
    },
    'trust_list.lotl_ambiguous': {
      meaning: 'The list of the lists has more than one pointer to the list, so that it is not clear who signs that.',
      remedy: 'Tell the operator of the list of the lists, or name the signers of the list yourself.',
    },
    'trust_list.lotl_closed': {
      meaning: 'The operator has closed the list of the lists: it names no next update, and no signers any more.',
      remedy: 'Ask its operator which one takes its place, or name the signers of the list yourself.',
    },
    'trust_list.lotl_expired': {
      meaning: 'The next update of the list of the lists was due, and its time of grace is over.',
      remedy: 'Ask the operator of the list of the lists for the current one.',
    },
    'trust_list.lotl_extension': {
      meaning:
        'The list of the lists has a critical extension that the platform does not know, so that it must not be used.',
      remedy: 'Ask its operator what the extension says, or name the signers of the list yourself.',
    },
    'trust_list.lotl_invalid': {
      meaning:
        'The document at the address of the list of the lists is none of the standard of the list; detail says what is wrong.',
      remedy:
        'See that the url of listOfLists is that of a list of lists in the format of the source. If it is, tell its operator.',
    },
    'trust_list.lotl_no_pointer': {
      meaning: 'The list of the lists has no pointer to the list.',
      remedy:
        'Send as location where the list of the lists says that the list is now, and as url the address from which it is to be read.',
    },
    'trust_list.lotl_no_signer': {
      meaning:
        'The list of the lists names no signer of the list whose certificate is valid now, or more than the platform takes.',
      remedy: 'Tell the operator of the list of the lists, or name the signers of the list yourself.',
    },
    'trust_list.lotl_older': {
      meaning: 'The list of the lists is older than the one that the platform has read before.',
      remedy: 'Wait until its address has the current one again.',
    },
    'trust_list.lotl_signature': {
      meaning:
        'The signature of the list of the lists is missing or not taken, or none of its signers whose certificate is valid now made it; detail says which.',
      remedy:
        'Take the current certificates from the operator of the list of the lists, as its official journal has them, and update the source with them.',
    },
    'trust_list.lotl_too_complex': {
      meaning: 'The list of the lists takes more time or memory to read than the platform gives one.',
      remedy: 'See that the url of listOfLists is that of a list of lists; the published ones are far smaller.',
    },
    'trust_list.lotl_pivot': {
      meaning:
        'A pivot of the list of the lists does not lead on: it is not signed by whom the one before it names, names nobody for the url of listOfLists, or is none; or there are too many. detail says what is wrong.',
      remedy:
        'See that the url of listOfLists is its TSLLocation, and name as signers of listOfLists those whom its operator announced last.',
    },
    'trust_list.lotl_pivot_unavailable': {
      meaning: 'The address of a pivot of the list of the lists could not be read.',
      remedy:
        'Wait until it can be read again, or name as signers of listOfLists those whom its operator announced last.',
    },
    'trust_list.lotl_unavailable': {
      meaning: 'The address of the list of the lists could not be read.',
      remedy: 'See that its URL can be called from the internet and answers with 200, without a redirect.',
    },
    'trust_list.source_closed': {
      meaning: 'The operator has closed the list: it names no next update, and nothing in it counts any more.',
      remedy: 'Ask the operator of the list which one takes its place, or delete the trust list.',
    },
    'trust_list.source_empty': {
      meaning: 'The list has no service of the named types that is in force and names issuers of each format.',
      remedy: 'Name types of services as the list has them, and formats whose issuers it lists.',
    },
    'trust_list.source_expired': {
      meaning: 'The next update of the list was due, and its time of grace is over.',
      remedy: 'Ask the operator of the list for the current one.',
    },
    'trust_list.source_extension': {
      meaning: 'The list has a critical extension that the platform does not know, so that it must not be used.',
      remedy: 'Ask the operator of the list what the extension says, and type the entries that count for you.',
    },
    'trust_list.source_invalid': {
      meaning:
        'The list is not one of its standard, or not of the type of the list that is known; detail says what is wrong.',
      remedy:
        'Name the format that the list is written by. If it is the right one, tell the operator of the list. If the list has another type for good, delete it here and create it again.',
    },
    'trust_list.source_older': {
      meaning: 'The list is older than the one that the platform has read before.',
      remedy: 'Wait until its address has the current one again.',
    },
    'trust_list.source_signature': {
      meaning:
        'The signature of the list is missing or not taken, or none of the signers of the source, or of those whom its list of lists names, whose certificate is valid now made it; detail says which.',
      remedy:
        'See detail. Where another key signed, or a certificate is over, take the certificates of the signers from the operator of the list, and update the source with them. With listOfLists, wait until its operator has named them, and see that location is that of the list.',
    },
    'trust_list.source_too_complex': {
      meaning: 'The list takes more time or memory to read than the platform gives one.',
      remedy: 'Name a list with fewer services, such as that of one country.',
    },
    'trust_list.source_too_large': {
      meaning: 'The list has more issuers of the named types, or certificates of one subject, than the platform takes.',
      remedy: 'Name fewer types of services.',
    },
    'trust_list.source_unavailable': {
      meaning: 'The address of the list could not be read.',
      remedy: 'See that the URL can be called from the internet and answers with 200, without a redirect.',
    },
  },
  404: {
    'trust_list.not_found': {
      meaning: 'The tenant has no such trust list.',
      remedy: 'Take the id from listTrustLists.',
    },
  },
  409: {
    'trust_list.changed': {
      meaning: 'The trust list was changed while its source was read.',
      remedy: 'Read it with getTrustList, and repeat the change.',
    },
    'trust_list.no_url': {
      meaning: 'The trust list has no source with a URL, so that there is nothing to read again.',
      remedy: 'Change its entries, or its source, with updateTrustList.',
    },
    'trust_list.too_many': {
      meaning: 'The tenant has as many trust lists as it can have.',
      remedy: 'Delete one with deleteTrustList, or put its entries into another one.',
    },
    'trust_list.too_many_entries': {
      meaning: 'The trust lists of the tenant would have more entries in all than they can have.',
      remedy: 'Delete one with deleteTrustList, or name fewer types of services.',
    },
  },
} satisfies ProblemTable

const TEXTS: Readonly<Record<string, { remedy: string }>> = { ...TRUST_LIST_PROBLEMS[400], ...TRUST_LIST_PROBLEMS[409] }

/** What to do where a reading failed with this code. */
export const remedyOf = (code: string): string | null => TEXTS[code]?.remedy ?? null
