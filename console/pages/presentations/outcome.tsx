import { useSay, useTexts } from '../../texts/index.ts'

/** Whether something verified: that every check passed only where every one was made. */
export function Outcome({ verified, notMade }: { verified: boolean; notMade: number }) {
  const { credential } = useTexts()
  const say = useSay()
  if (!verified) return <>{credential.notVerified}</>
  return <>{notMade === 0 ? credential.verified : say(credential.verifiedBut, { count: notMade })}</>
}
