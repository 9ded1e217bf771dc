import { connect } from '../../../client/index.ts'

/** A server that answers as told, to see what the client makes of it. */
export const answering = (...answers: ((request: Request) => Response | Promise<Response>)[]) => {
  const asked: Request[] = []
  let time = 0
  const client = connect({
    baseUrl: 'https://id.example/',
    clientId: 'a',
    clientSecret: 'b',
    now: () => time,
    async fetch(request) {
      asked.push(request)
      const answer = answers.shift()
      if (!answer) throw new Error('the client asks more often than expected')
      return answer(request)
    },
  })
  return {
    client,
    asked,
    pass: (seconds: number) => {
      time += seconds * 1000
    },
  }
}

export const token = (value: string) => () =>
  Response.json({ access_token: value, expires_in: 3600, token_type: 'Bearer' })
const refusal = (code: string, headers: Record<string, string>) => () =>
  Response.json({ title: 'Unauthorized', status: 401, type: `/problems#${code}` }, { status: 401, headers })

/** The token is refused. */
export const unauthorized = refusal('token.invalid', {
  'www-authenticate': 'Bearer realm="countersign", error="invalid_token"',
})

/** The operation itself refuses with this status. */
export const refused = refusal('login.refused', {})
