import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { de } from './de.ts'
import { en } from './en.ts'

/** The members of English, with any texts: a language that lacks one does not compile. */
export type Texts = Same<typeof en>
type Same<Value> = Value extends string
  ? string
  : Value extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { [Name in keyof Value]: Same<Value[Name]> }

export const LANGUAGES = { en, de } satisfies Record<string, Texts>
export type Language = keyof typeof LANGUAGES

export const isLanguage = (name: string): name is Language => Object.hasOwn(LANGUAGES, name)

/** The first language of the browser that there are texts for. */
export const browserLanguage = (languages: readonly string[] = navigator.languages): Language =>
  languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'

export const LanguageContext = createContext<Language>('en')

export const useLanguage = (): Language => useContext(LanguageContext)

/** The language as the reader's region writes numbers and times, where the browser names one. */
export function useLocale(): string {
  const language = useLanguage()
  return navigator.languages.find((tag) => tag.toLowerCase().startsWith(language)) ?? language
}

export const useTexts = (): Texts => LANGUAGES[useLanguage()]
