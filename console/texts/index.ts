import { IntlMessageFormat } from 'intl-messageformat'
import { createContext } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import type en from './en.json'

/** The members of English: a language that lacks one does not compile. */
export type Texts = typeof en

/** Names of the languages, each in its own; a text with values is an ICU message (`{count, plural, …}`). */
export const LANGUAGES = { en: 'English', de: 'Deutsch' }
export type Language = keyof typeof LANGUAGES

/** A language is one file, which the browser loads when it is chosen. */
const FILES: Record<Language, () => Promise<{ default: Texts }>> = {
  en: () => import('./en.json'),
  de: () => import('./de.json'),
}

const loaded: Partial<Record<Language, Texts>> = {}

/** Loads the texts of a language, before anything is written in it. */
export async function loadTexts(language: Language): Promise<void> {
  loaded[language] ??= (await FILES[language]()).default
}

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

export function useTexts(): Texts {
  const language = useLanguage()
  const texts = loaded[language]
  if (!texts) throw new Error(`The texts of ${language} are not loaded.`)
  return texts
}

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
