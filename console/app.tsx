import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { Failure } from './frame/parts.tsx'
import { useAddress } from './frame/router.tsx'
import { logOut, onEnd, restore, type Standing, switchTenant } from './frame/session.ts'
import { Shell } from './frame/shell.tsx'
import { entryOf } from './pages/entry/index.tsx'
import { Login } from './pages/entry/login.tsx'
import { Pages } from './pages/index.tsx'
import { Navigation } from './pages/navigation.tsx'
import { keepLanguage } from './texts/choice.ts'
import { type Language, LanguageContext, loadTexts, useTexts } from './texts/index.ts'

type Session = 'unknown' | 'none' | Standing

function Content({ setLanguage }: { setLanguage: (language: Language) => void }) {
  const texts = useTexts()
  const [session, setSession] = useState<Session>('unknown')
  const [error, setError] = useState<unknown>()
  const [switching, setSwitching] = useState<Promise<void>>()
  const { parts } = useAddress()
  const stand = (asked: Promise<Standing | undefined>) => {
    setError(undefined)
    return asked.then((standing) => setSession(standing ?? 'none'), setError)
  }
  // the page is still that of the former tenant, and its token too: nothing is done there meanwhile
  const choose = (tenantId: string) => {
    const switched = stand(switchTenant(tenantId))
    setSwitching(switched)
    void switched.then(() => setSwitching((last) => (last === switched ? undefined : last)))
  }
  useEffect(() => {
    onEnd(() => setSession('none'))
    void stand(restore())
  }, [])
  const standing = typeof session === 'object' ? session : undefined
  const Entry = entryOf(parts)
  const place = () => {
    if (session === 'unknown') return <p class="quiet">{error === undefined && texts.frame.loading}</p>
    if (Entry) return <Entry standing={standing} onStanding={(asked) => void stand(asked)} />
    return standing ? (
      <Pages key={standing.tenantId} standing={standing} />
    ) : (
      <Login onLogin={(begun) => void stand(Promise.resolve(begun))} />
    )
  }
  return (
    <Shell
      setLanguage={setLanguage}
      error={<Failure error={error} />}
      standing={standing}
      navigation={standing && <Navigation standing={standing} />}
      isSwitching={switching !== undefined}
      onTenant={choose}
      onLogOut={standing && (() => void logOut().catch(setError))}
    >
      {place()}
    </Shell>
  )
}

export function App({ first }: { first: Language }) {
  const [language, setLanguage] = useState(first)
  // before anything is painted in it
  useLayoutEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const choose = (chosen: Language) => {
    keepLanguage(chosen)
    void loadTexts(chosen).then(() => setLanguage(chosen))
  }
  return (
    <LanguageContext.Provider value={language}>
      <Content setLanguage={choose} />
    </LanguageContext.Provider>
  )
}
