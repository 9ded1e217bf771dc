import proto from '@temporalio/proto'

/** Histories rest encrypted, as in production; this key protects nothing. */
export const historyKey = Buffer.alloc(32, 'history')

export const historyDirectory = new URL('../../../histories/', import.meta.url)

export interface Scenario {
  workflowType: string
  /** `<workflowType>.<path>.history.json` */
  path: string
  payload: unknown
  /** What each activity answers at its nth call, from 0; an activity that is not named answers nothing. */
  answers: Record<string, (nth: number) => unknown>
  /** Sent a second after the start. */
  signal?: string
  /** Name of an update that is sent a second after the start, and answered. */
  update?: string
  /** Cancelled two seconds after the start: the workflow does not end by itself. */
  cancelled?: true
}

export const fileOf = ({ workflowType, path }: Pick<Scenario, 'workflowType' | 'path'>): URL =>
  new URL(`${workflowType}.${path}.history.json`, historyDirectory)

const History = proto.temporal.api.history.v1.History

/** Readable and stable. The SDK's historyToJSON fails where two versions of protobufjs are installed. */
export const toJson = (history: proto.temporal.api.history.v1.IHistory): string =>
  JSON.stringify(
    History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String }),
    null,
    1,
  )

export const fromJson = (json: string): proto.temporal.api.history.v1.History => History.fromObject(JSON.parse(json))
