import type { Schemas } from '../../../client/index.ts'
import { certificatesIn, textOf, wordsOf } from '../../frame/form.tsx'
import { FORMAT_NAMES } from '../templates/formats.ts'
import { ATTESTED } from '../users/wallet-providers.tsx'

export const SOURCE_FORMATS = ['ts-119-602', 'ts-119-612'] as const

/** Of the lists of lists that have pivots. */
export const PIVOTS_FORMAT = 'ts-119-612'

export const SIGNED_BY = ['signers', 'lists'] as const

/** Name of the field of an issuer: the platform names the member by what it is. */
export const issuerField = (at: number, text: string): string =>
  `entries.${at}.${text.trimStart().startsWith('-----') ? 'certificate' : 'identifier'}`

/** What the list is for; whether it is enforced is asked apart, and an edit leaves it as it is. */
export const rolesIn = (form: FormData) => ({
  name: textOf(form, 'name') ?? '',
  formats: FORMAT_NAMES.filter((each) => form.has(`formats.${each}`)),
  attests: ATTESTED.filter((each) => form.has(`attests.${each}`)),
})

function entryIn(form: FormData, at: number): Schemas['TrustEntryIn'] {
  const name = textOf(form, `entries.${at}.name`)
  const certificate = textOf(form, `entries.${at}.certificate`)
  const issuer = certificate ? { certificate } : { identifier: textOf(form, `entries.${at}.identifier`) ?? '' }
  return { ...(name && { name }), ...issuer }
}

const numberIn = (form: FormData, name: string): number | undefined => {
  const text = textOf(form, name)
  return text === undefined ? undefined : Number(text)
}

async function documentIn(form: FormData): Promise<string> {
  const file = form.get('source.document')
  return file instanceof File ? file.text() : ''
}

function listsIn(form: FormData): Schemas['ListOfListsIn'] {
  const location = textOf(form, 'source.listOfLists.location')
  return {
    url: textOf(form, 'source.listOfLists.url') ?? '',
    signers: certificatesIn(textOf(form, 'source.listOfLists.signers')),
    ...(location && { location }),
    followPivots: form.has('source.listOfLists.followPivots'),
  }
}

/** Where the entries of the list come from: they are typed, or in a list of ETSI that has an address or is a file. */
export async function originIn(form: FormData): Promise<Pick<Schemas['TrustListIn'], 'entries' | 'source'>> {
  const origin = textOf(form, 'origin')
  if (origin === 'entries') return { entries: form.getAll('rows').map((_, at) => entryIn(form, at)) }
  const [refreshHours, graceHours] = [numberIn(form, 'source.refreshHours'), numberIn(form, 'source.graceHours')]
  return {
    source: {
      format: SOURCE_FORMATS.find((each) => each === textOf(form, 'source.format')) ?? SOURCE_FORMATS[0],
      ...(origin === 'url' ? { url: textOf(form, 'source.url') ?? '' } : { document: await documentIn(form) }),
      signers: certificatesIn(textOf(form, 'source.signers')),
      ...(textOf(form, 'source.signedBy') === 'lists' && { listOfLists: listsIn(form) }),
      serviceTypes: wordsOf(textOf(form, 'source.serviceTypes')),
      ...(refreshHours !== undefined && { refreshHours }),
      ...(graceHours !== undefined && { graceHours }),
    },
  }
}
