import type { OutboundRequest } from '../../../activities/frame/outbound/index.ts'
import { createActivities } from '../../../activities/index.ts'
import { until } from '../credentials/dids.ts'
import { makeForeignIaca } from '../credentials/mobile.issuers.ts'
import { type Names, openNames } from '../frame/names.ts'
import { openWorld, type Reply, type World } from '../world.ts'
import { type TrustListAnswer, trustListsOf } from './lists.ts'
import { newPath } from './lote.ts'
import { lotlOf, openSigner, type Pointer } from './lotl.ts'
import { QEAA, type Scheme, tslOf } from './tsl.ts'

const HOUR_MS = 3_600_000

/** A platform, and a web that has lists of lists and national lists. */
export async function openLotlWorld(options: Parameters<typeof openWorld>[0] = {}) {
  const names: Names = await openNames()
  const world: World = await openWorld({ ...options, env: { ...options?.env, ...names.env } })
  names.platform.apiPort = world.config.port
  const [commission, austria, stranger] = [await openSigner(), await openSigner(), await openSigner()]
  const [one, other] = [await makeForeignIaca(), await makeForeignIaca({ commonName: 'Another' })]
  const urlOf = (path: string) => `https://elsewhere.test:${names.port}${path}`

  /** A tenant of its own, and places of its own for the list of lists and the national list, which a test publishes. */
  async function places() {
    const token = await world.tokenOf(await world.addTenant())
    const [lotlPath, listPath] = [newPath(), newPath()]
    const [lotlUrl, listUrl] = [urlOf(lotlPath), urlOf(listPath)]
    const listed = (certificates: string[], scheme: Scheme = {}) => tslOf([{ services: [{ certificates }] }], scheme)
    return {
      ...{ token, lists: trustListsOf(world, token), lotlPath, listPath, lotlUrl, listUrl },
      list: (certificates: string[], scheme: Scheme = {}, by = austria) => by.signNow(listed(certificates, scheme)),
      publishLotl(pointers: Pointer[], scheme: Scheme & { type?: string } = {}, by = commission) {
        names.elsewhere.set(lotlPath, by.signNow(lotlOf(pointers, scheme)))
      },
      publishList(certificates: string[], scheme: Scheme = {}, by = austria) {
        names.elsewhere.set(listPath, by.signNow(listed(certificates, scheme)))
      },
      pointer: (more: Partial<Pointer> = {}): Pointer => ({
        ...{ location: listUrl, certificates: [austria.signer] },
        ...more,
      }),
      source: (more: object = {}) => ({
        ...{ format: 'ts-119-612', url: listUrl, serviceTypes: [QEAA] },
        listOfLists: { url: lotlUrl, signers: [commission.signer] },
        ...more,
      }),
    }
  }

  /** Of a tenant of its own, with the list as it was imported. */
  async function imported(source: object = {}, schemes: { lotl?: Scheme; list?: Scheme } = {}) {
    const at = await places()
    at.publishLotl([at.pointer()], schemes.lotl)
    at.publishList([one.certificatePem], schemes.list)
    const reply = await at.lists.create({ name: 'QEAA', formats: ['mobile'], source: at.source(source) })
    if (reply.status !== 201) throw new Error(`no list: ${reply.text}`)
    const { id } = reply.json<TrustListAnswer>()
    const logged = async () => {
      const span = { dateFrom: '2020-01-01T00:00:00Z', dateTo: '2999-01-01T00:00:00Z' }
      const types = ['TRUST_LIST_REFRESH_FAIL']
      const filter = { types, objectIds: [id], ids: [], categories: [], requestIds: [], ...span }
      const found = await world.ask('/v1/analytics/events', { token: at.token, body: filter })
      const { data } = found.json<{ data: { metadata: string }[] }>()
      // those of requests have no code
      return data.flatMap(({ metadata }) => (JSON.parse(metadata) as { code?: string }).code ?? [])
    }
    return {
      ...at,
      id,
      created: reply.json<TrustListAnswer>(),
      read: async () => (await at.lists.read(id)).json<TrustListAnswer>(),
      /** Of the failures in the log, when there are so many. */
      codes: (count: number) =>
        until('the entries of failures', async () => {
          const codes = await logged()
          return codes.length >= count && codes
        }),
    }
  }

  /** The schedule of one worker process, with the paths that it reads, in order; `before` may refuse one. */
  function schedule(before: (request: OutboundRequest) => Promise<void> | void = () => undefined) {
    const { outbound } = world.dependencies
    const paths: string[] = []
    let hours = 0
    const fetch: typeof outbound.fetch = async (request) => {
      paths.push(new URL(request.url).pathname)
      await before(request)
      return outbound.fetch(request)
    }
    const now = () => new Date(Date.now() + hours * HOUR_MS)
    const activities = createActivities({ ...world.dependencies, outbound: { ...outbound, fetch }, now })
    return {
      /** Its pass, so many hours from now; returns how often it reads each path. */
      async pass(at: number): Promise<Record<string, number>> {
        hours = at
        paths.length = 0
        await activities.refreshTrustLists()
        const reads: Record<string, number> = {}
        for (const path of paths) reads[path] = (reads[path] ?? 0) + 1
        return reads
      },
    }
  }

  return {
    ...{ names, world, commission, austria, stranger, one, other, urlOf, places, imported },
    create: async (at: Awaited<ReturnType<typeof places>>, source: object = {}): Promise<Reply> =>
      at.lists.create({ name: 'QEAA', formats: ['mobile'], source: at.source(source) }),
    /** The schedule's pass, so many hours from now. */
    pass: (hours: number) => {
      const now = () => new Date(Date.now() + hours * HOUR_MS)
      return createActivities({ ...world.dependencies, now }).refreshTrustLists()
    },
    schedule,
    async close() {
      await world.close()
      await names.close()
    },
  }
}

export type LotlWorld = Awaited<ReturnType<typeof openLotlWorld>>
