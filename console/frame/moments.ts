export const DAY_MS = 86_400_000

/** A moment as the field of the browser writes it, in the reader's zone. */
export const fieldOf = (moment: Date): string =>
  new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** The moment that a field of the browser has, as the platform reads it; undefined when the field is empty. */
export const momentOf = (field: string | undefined): string | undefined => field && new Date(field).toISOString()

export const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS)

/** Whole days from now to a moment: negative when it has passed. */
export const daysUntil = (at: string): number => Math.floor((Date.parse(at) - Date.now()) / DAY_MS)
