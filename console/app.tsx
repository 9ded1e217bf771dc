import { useEffect, useState } from 'preact/hooks'
import { Failure } from './frame/parts.tsx'
import { logOut, onEnd, restore, type Standing, switchTenant } from './frame/session.ts'
import { Shell } from './frame/shell.tsx'
import { Pages } from './pages/index.tsx'
import { Login } from './pages/login.tsx'
import { Navigation } from './pages/navigation.tsx'
import { browserLanguage, type Language, LanguageContext, useTexts } from './texts/index.ts'

type Session = 'unknown' | 'none' | Standing

function Content({ setLanguage }: { setLanguage: (language: Language) => void }) {
  const texts = useTexts()
  const [session, setSession] = useState<Session>('unknown')
  const [error, setError] = useState<unknown>()
  const stand = (asked: Promise<Standing | undefined>) => {
    setError(undefined)
    asked.then((standing) => setSession(standing ?? 'none'), setError)
  }
  useEffect(() => {
    onEnd(() => setSession('none'))
    stand(restore())
  }, [])
  const shell = { setLanguage, error: <Failure error={error} /> }
  if (session === 'unknown')
    return (
      <Shell {...shell}>
        <p class="quiet">{error === undefined && texts.frame.loading}</p>
      </Shell>
    )
  if (session === 'none')
    return (
      <Shell {...shell}>
        <Login onLogin={setSession} />
      </Shell>
    )
  return (
    <Shell
      {...shell}
      standing={session}
      navigation={<Navigation standing={session} />}
      onTenant={(id) => stand(switchTenant(id))}
      onLogOut={() => void logOut().catch(setError)}
    >
      <Pages key={session.tenantId} standing={session} />
    </Shell>
  )
}

export function App() {
  const [language, setLanguage] = useState<Language>(browserLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  return (
    <LanguageContext.Provider value={language}>
      <Content setLanguage={setLanguage} />
    </LanguageContext.Provider>
  )
}
