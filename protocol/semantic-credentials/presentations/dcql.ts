import { isObject } from '../../json.ts'
import type { Report } from './asked.ts'
import { type MdocQuery, mdocQuery } from './mdocs.ts'
import { type SdJwtQuery, sdJwtQuery } from './sd-jwts.ts'

/** The query for one credential of a template's DCQL. */
export type DcqlTemplateQuery = MdocQuery | SdJwtQuery

/** Reads an entry of `credentialQuery` by its format. */
export function dcqlQuery(entry: unknown, path: string, report: Report): DcqlTemplateQuery | undefined {
  if (!isObject(entry)) report(path, 'object', 'must be an object')
  else if (entry.format === 'mso_mdoc') return mdocQuery(entry, path, report)
  else if (entry.format === 'dc+sd-jwt') return sdJwtQuery(entry, path, report)
  else report(`${path}.format`, 'enum', 'must be dc+sd-jwt or mso_mdoc: QueryByExample asks for credentials of JSON-LD')
  return undefined
}
