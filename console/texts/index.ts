import { IntlMessageFormat } from 'intl-messageformat'
import { createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import de from './de.json'
import en from './en.json'

/** The members of English: a language that lacks one does not compile. */
export type Texts = typeof en

/** A language is one file; a text with values is an ICU message (`{count, plural, …}`). */
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

/** A text with its values in their places. */
export type Say = (text: string, values: Record<string, string | number>) => string

/** For the texts with values: `say(paging.page, { page, pages })`. A value that the text names must be there. */
export function useSay(): Say {
  const locale = useLocale()
  return useMemo(() => {
    const parsed = new Map<string, IntlMessageFormat>()
    return (text, values) => {
      const message = parsed.get(text) ?? new IntlMessageFormat(text, locale, undefined, { ignoreTag: true })
      parsed.set(text, message)
      return String(message.format(values))
    }
  }, [locale])
}
