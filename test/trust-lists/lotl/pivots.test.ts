import test from 'ava'
import { refusal } from '../../support/credentials/templates.ts'
import { connected } from '../../support/stack/backup.ts'
import type { TrustListAnswer } from '../../support/trust-lists/lists.ts'
import { inHours, newPath } from '../../support/trust-lists/lote.ts'
import { lotlOf, openSigner, type Signer } from '../../support/trust-lists/lotl.ts'
import { type LotlWorld, openLotlWorld } from '../../support/trust-lists/lotl.world.ts'

let here: LotlWorld
/** Signers of the list of lists: the source names the first one, and each pivot the next one. */
let second: Signer
let third: Signer
test.before(async () => {
  here = await openLotlWorld()
  second = await openSigner()
  third = await openSigner()
})
test.after.always(() => here?.close())

const NOTICE = 'http://eur-lex.example/legal-content/EN/TXT/?uri=OJ.C_.2019.276'

const urisOf = (addresses: readonly string[]): string =>
  `<SchemeInformationURI>${addresses.map((address) => `<URI xml:lang="en">${address}</URI>`).join('')}</SchemeInformationURI>`

interface Pivot {
  by: Signer
  /** Signers that it names of the list of lists, in PEM. */
  names: string[]
  sequence: string
  location?: string
  issued?: string
  next?: string
}

/** A list of lists, whose pivots a test publishes. */
async function places() {
  const at = await here.places()
  const pathOf = () => newPath().replace('.jwt', '.xml')
  const publishAt = (path: string, text: string): string => {
    here.names.elsewhere.set(path, text)
    return here.urlOf(path)
  }
  return {
    ...at,
    /** Returns its address. */
    publishPivot: ({ by, names, location = at.lotlUrl, ...scheme }: Pivot): string =>
      publishAt(pathOf(), by.signNow(lotlOf([{ location, certificates: names }], scheme))),
    publishText: (text: string): string => publishAt(pathOf(), text),
    /** `pivots`: newest first, as it has them. */
    publish(pivots: readonly string[], by: Signer, sequence = '300') {
      at.publishLotl(
        [at.pointer()],
        { sequence, more: urisOf([...pivots, NOTICE, 'https://a.example/legal.html']) },
        by,
      )
    },
    create: (lists: object = {}) => {
      at.publishList([here.one.certificatePem])
      return here.create(at, { listOfLists: { ...at.source().listOfLists, followPivots: true, ...lists } })
    },
  }
}

type Places = Awaited<ReturnType<typeof places>>

const firstPivot = (at: Places, more: Partial<Pivot> = {}) =>
  at.publishPivot({ by: here.commission, names: [second.signer], sequence: '100', ...more })
const secondPivot = (at: Places, more: Partial<Pivot> = {}) =>
  at.publishPivot({ by: second, names: [third.signer], sequence: '200', ...more })

const pivotsOf = (reply: { json<T>(): T }) => reply.json<TrustListAnswer>().imported?.listOfLists?.pivots

test.serial('two pivots lead from the named signer to who signs the list of lists now (D-867)', async (t) => {
  const at = await places()
  at.publish([secondPivot(at), firstPivot(at)], third)
  const reply = await at.create()
  t.is(reply.status, 201, reply.text)
  t.is(pivotsOf(reply), 2)
  t.like(reply.json<TrustListAnswer>().source?.listOfLists, { followPivots: true })
  t.is(refusal(await at.create({ followPivots: false }), 400), 'trust_list.lotl_signature', 'unless nobody asks for it')
})

test.serial('a list of lists that a named signer signed needs no pivot', async (t) => {
  const at = await places()
  at.publish([`${at.lotlUrl.slice(0, -4)}.none.xml`], here.commission)
  const reply = await at.create()
  t.is(reply.status, 201, reply.text)
  t.is(pivotsOf(reply), 0)
})

test.serial('the newest pivot may be the list of lists itself, which says nothing of its own signer', async (t) => {
  const at = await places()
  const itself = here.urlOf(newPath().replace('.jwt', '.xml'))
  at.publish([itself, firstPivot(at)], second)
  const text = here.names.elsewhere.get(at.lotlPath) ?? ''
  here.names.elsewhere.set(new URL(itself).pathname, text)
  const reply = await at.create()
  t.is(reply.status, 201, reply.text)
  t.is(pivotsOf(reply), 1)
})

test.serial('pivots of a former publication are passed over', async (t) => {
  const at = await places()
  const former = at.publishPivot({ by: third, names: [here.commission.signer], sequence: '50' })
  at.publish([firstPivot(at), former], second)
  t.is(pivotsOf(await at.create()), 1)
})

test.serial('a signer counts whose certificate was valid when the pivot was issued', async (t) => {
  const expired = { signers: [here.commission.expiredSigner] }
  const at = await places()
  at.publish([firstPivot(at, { issued: inHours(-48) })], second)
  t.is((await at.create(expired)).status, 201)
  const late = await places()
  late.publish([firstPivot(late)], second)
  t.is(refusal(await late.create(expired), 400), 'trust_list.lotl_pivot')
})

const WRONG: [what: string, publish: (at: Places) => void, code: string, message: RegExp][] = [
  [
    'a pivot that a stranger signed',
    (at) => at.publish([secondPivot(at, { by: here.stranger }), firstPivot(at)], third),
    'lotl_pivot',
    /^The pivot .*None of the signers whom the pivot before it names signed the list/,
  ],
  [
    'a first pivot that a stranger signed',
    (at) => at.publish([secondPivot(at), firstPivot(at, { by: here.stranger })], third),
    'lotl_pivot',
    /None of the signers of listOfLists signed a pivot/,
  ],
  [
    'a list of lists that the signer of before signed',
    (at) => at.publish([secondPivot(at), firstPivot(at)], second),
    'lotl_signature',
    /None of the signers whom its newest pivot names signed the list/,
  ],
  ['a list of lists without pivots', (at) => at.publish([], third), 'lotl_signature', /None of the signers/],
  [
    'an http address of a pivot',
    (at) => at.publish([firstPivot(at).replace('https:', 'http:')], second),
    'lotl_signature',
    /None of the signers/,
  ],
  [
    'a pivot that is nowhere',
    (at) => at.publish([here.urlOf('/none.xml'), firstPivot(at)], third),
    'lotl_pivot_unavailable',
    /The pivot https:.*none\.xml.*404/,
  ],
  [
    'a pivot at a private address',
    (at) => at.publish(['https://10.0.0.1/pivot.xml', firstPivot(at)], third),
    'lotl_pivot_unavailable',
    /10\.0\.0\.1/,
  ],
  [
    'a pivot that is another document',
    (at) => at.publish([at.publishText('<a/>'), firstPivot(at)], second),
    'lotl_pivot',
    /no signature/,
  ],
  [
    'a pivot for another location',
    (at) => at.publish([firstPivot(at, { location: `${at.lotlUrl}2` })], second),
    'lotl_pivot',
    /no pointer/,
  ],
  ['a pivot that names nobody', (at) => at.publish([firstPivot(at, { names: [] })], second), 'lotl_pivot', /no cert/],
  ['a closed pivot', (at) => at.publish([firstPivot(at, { next: '' })], second), 'lotl_pivot', /closed/],
  [
    'pivots in another order',
    (at) => at.publish([secondPivot(at, { sequence: '99' }), firstPivot(at)], third),
    'lotl_pivot',
    /sequence number is not above/,
  ],
  [
    'a number below that of its pivot',
    (at) => at.publish([firstPivot(at)], second, '99'),
    'lotl_older',
    /below that of its newest pivot/,
  ],
  [
    'eleven pivots',
    (at) =>
      at.publish(
        Array.from({ length: 11 }, (_, each) => here.urlOf(`/${each}.xml`)),
        second,
      ),
    'lotl_pivot',
    /more than 10 pivots/,
  ],
  [
    'a signer whose certificate has expired',
    (at) => at.publish([firstPivot(at, { names: [second.expiredSigner] })], second),
    'lotl_signature',
    /valid now/,
  ],
]

for (const [what, publish, code, message] of WRONG)
  test.serial(`with ${what} no list is made (${code})`, async (t) => {
    const at = await places()
    publish(at)
    const reply = await at.create()
    t.is(refusal(reply, 400), `trust_list.${code}`, reply.text)
    t.regex(reply.json<{ detail: string }>().detail, message)
  })

test.serial('lists of lists in JSON have no pivots', async (t) => {
  const reply = await here.create(await here.places(), {
    ...{ format: 'ts-119-602' },
    listOfLists: { url: 'https://a.example/l.jwt', signers: [here.commission.signer], followPivots: true },
  })
  t.is(refusal(reply, 400), 'trust_list.invalid')
  const [error] = reply.json<{ errors: { path: string; code: string }[] }>().errors
  t.deepEqual([error?.path, error?.code], ['source.listOfLists.followPivots', 'format'])
})

test.serial('a former signer cannot sign past a pivot that went back to earlier signers (D-868)', async (t) => {
  const at = await places()
  const one = firstPivot(at)
  const two = secondPivot(at)
  const back = at.publishPivot({ by: third, names: [second.signer], sequence: '300' })
  at.publish([back, two, one], second)
  const { id } = (await at.create()).json<TrustListAnswer>()
  const thiefs = at.publishPivot({ by: third, names: [here.stranger.signer], sequence: '350' })
  at.publish([thiefs, two, one], here.stranger, '400')
  const refreshed = () => at.lists.refresh(id)
  t.is(refusal(await refreshed(), 400), 'trust_list.lotl_older', 'the first pivot names the same signers')
  const on = at.publishPivot({ by: second, names: [here.stranger.signer], sequence: '350' })
  at.publish([on, back, two, one], here.stranger, '400')
  t.is(pivotsOf(await refreshed()), 4)
})

test.serial('pivots that were followed before their numbers were kept are known by their signers', async (t) => {
  const at = await places()
  const [one, two] = [firstPivot(at), secondPivot(at)]
  at.publish([two, one], third)
  const { id } = (await at.create()).json<TrustListAnswer>()
  await connected(here.world.superuserUrl, (client) =>
    client.query(
      `update trust_lists set facts = (facts::jsonb #- '{listOfLists,pivots,sequence}')::json where id = $1`,
      [id],
    ),
  )
  at.publish([one], second, '400')
  t.is(refusal(await at.lists.refresh(id), 400), 'trust_list.lotl_older')
  at.publish([two, one], third, '400')
  t.is(pivotsOf(await at.lists.refresh(id)), 2)
})

test.serial('a former signer cannot sign past a pivot that was followed (D-868)', async (t) => {
  const at = await places()
  const [one, two] = [firstPivot(at), secondPivot(at)]
  at.publish([two, one], third)
  const { id } = (await at.create()).json<TrustListAnswer>()
  const refreshed = () => at.lists.refresh(id)
  at.publish([one], second, '400')
  t.is(refusal(await refreshed(), 400), 'trust_list.lotl_older', 'by the pivot before it')
  at.publish([], here.commission, '400')
  t.is(refusal(await refreshed(), 400), 'trust_list.lotl_older', 'without any pivot')
  at.publish([secondPivot(at, { names: [here.stranger.signer] }), one], here.stranger, '400')
  t.is(refusal(await refreshed(), 400), 'trust_list.lotl_older', 'by another pivot in its place')
  at.publish([two, one], third, '299')
  t.is(refusal(await refreshed(), 400), 'trust_list.lotl_older', 'by its number')
  t.like((await at.lists.read(id)).json<TrustListAnswer>(), { entryCount: 1, imported: { listOfLists: { pivots: 2 } } })
  const three = at.publishPivot({ by: third, names: [here.commission.signer], sequence: '350' })
  at.publish([three, two, one], here.commission, '400')
  t.is(pivotsOf(await refreshed()), 3, 'a further pivot leads on')
  at.publish([], third, '401')
  const source = (signers: string[]) =>
    at.source({ listOfLists: { ...at.source().listOfLists, signers, followPivots: true } })
  const first = here.commission.signer
  t.is(refusal(await at.lists.update(id, { source: source([first]) }), 400), 'trust_list.lotl_older')
  t.is(pivotsOf(await at.lists.update(id, { source: source([third.signer]) })), 0, 'the source names others')
})
