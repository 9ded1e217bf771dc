import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { isLanguage, LANGUAGES, type Language, useLanguage, useTexts } from '../texts/index.ts'
import { Link, pathOf } from './router.tsx'
import type { Standing } from './session.ts'

interface ShellProps {
  setLanguage: (language: Language) => void
  error: ComponentChildren
  standing?: Standing
  navigation?: ComponentChildren
  onTenant?: (id: string) => void
  /** Another tenant was chosen, and its page is not there yet. */
  isSwitching?: boolean
  onLogOut?: () => void
  children: ComponentChildren
}

function Languages({ setLanguage }: Pick<ShellProps, 'setLanguage'>) {
  const { frame } = useTexts()
  const [id, language] = [useId(), useLanguage()]
  const choose = ({ currentTarget: { value } }: { currentTarget: HTMLSelectElement }) => {
    if (isLanguage(value)) setLanguage(value)
  }
  return (
    <div class="inline">
      <label for={id}>{frame.language}</label>
      <select id={id} value={language} onChange={choose}>
        {Object.entries(LANGUAGES).map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

function Tenants({ standing, onTenant }: Required<Pick<ShellProps, 'standing' | 'onTenant'>>) {
  const { frame } = useTexts()
  const id = useId()
  const { organizations } = standing.account
  if (standing.tenantId === null) return null
  return (
    <div class="inline">
      <label for={id}>{frame.tenant}</label>
      <select id={id} value={standing.tenantId} onChange={({ currentTarget }) => onTenant(currentTarget.value)}>
        {organizations.map(({ id: organizationId, name, role, tenants }) => (
          <optgroup key={organizationId} label={`${name} (${role})`}>
            {tenants.map((tenant) => (
              <option key={tenant.id} value={tenant.id}>
                {tenant.name || tenant.subdomain}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </div>
  )
}

/** What every page has around it. */
export function Shell({ setLanguage, error, standing, navigation, children, ...acts }: ShellProps) {
  const { onTenant, isSwitching = false, onLogOut } = acts
  const texts = useTexts()
  return (
    <>
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header>
        <Link href={pathOf()}>
          <strong>{texts.title}</strong>
        </Link>
        <div class="tools">
          {standing && onTenant && <Tenants standing={standing} onTenant={onTenant} />}
          <Languages setLanguage={setLanguage} />
          {standing && <span class="who">{standing.account.email}</span>}
          {onLogOut && (
            <button type="button" onClick={onLogOut}>
              {texts.frame.logOut}
            </button>
          )}
        </div>
      </header>
      <div class="columns" inert={isSwitching} aria-busy={isSwitching}>
        {navigation}
        <main id="content" tabIndex={-1}>
          {error}
          {children}
        </main>
      </div>
    </>
  )
}
