/** Formats of credentials as rows name them, each with its name in paths, responses and log entries, and its scopes. */
const FORMATS = {
  semantic: { slug: 'web-semantic', area: 'semantic-credentials' },
  compact: { slug: 'compact', area: 'compact-credentials' },
  'compact-semantic': { slug: 'compact-semantic', area: 'compact-credentials' },
  mobile: { slug: 'mobile', area: 'mobile-credentials' },
  'sd-jwt-vc': { slug: 'sd-jwt-vc', area: 'sd-jwt-credentials' },
} as const

export type FormatName = keyof typeof FORMATS
export type FormatSlug = (typeof FORMATS)[FormatName]['slug']

export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]

export const slugOf = (format: FormatName): FormatSlug => FORMATS[format].slug

const BY_SLUG = new Map(FORMAT_NAMES.map((format) => [slugOf(format), format]))

export function formatOf(slug: FormatSlug): FormatName {
  const format = BY_SLUG.get(slug)
  if (!format) throw new Error(`no format has the name ${slug}`)
  return format
}

/** The scope that a token needs to read or write credentials of a format. */
export const scopeOf = <Access extends 'read' | 'write'>(format: FormatName, access: Access) =>
  `${FORMATS[format].area}:${access}` as const

/** Name and category of the log entries about credentials of a format, e.g. CREDENTIAL_WEB_SEMANTIC_BATCH_COMPLETE. */
export const logOf = (format: FormatName, verb: string) =>
  format === 'mobile'
    ? ({ name: `MOBILE_CREDENTIAL_${verb}`, category: 'mobile-credential' } as const)
    : ({
        name: `CREDENTIAL_${slugOf(format).toUpperCase().replaceAll('-', '_')}_${verb}`,
        category: `credential-${slugOf(format)}`,
      } as const)
