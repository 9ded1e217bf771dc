/** Formats of credentials as rows name them, each with its name in paths, responses and log entries. */
const SLUGS = {
  semantic: 'web-semantic',
  compact: 'compact',
  'compact-semantic': 'compact-semantic',
  mobile: 'mobile',
} as const

export type FormatName = keyof typeof SLUGS

export const slugOf = (format: FormatName): string => SLUGS[format]

/** Name and category of the log entries about credentials of a format, e.g. CREDENTIAL_WEB_SEMANTIC_BATCH_COMPLETE. */
export const logOf = (format: FormatName, verb: string) =>
  format === 'mobile'
    ? { name: `MOBILE_CREDENTIAL_${verb}`, category: 'mobile-credential' }
    : {
        name: `CREDENTIAL_${slugOf(format).toUpperCase().replaceAll('-', '_')}_${verb}`,
        category: `credential-${slugOf(format)}`,
      }
