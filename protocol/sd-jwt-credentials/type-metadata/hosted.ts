import type { FieldError } from '../../errors.ts'
import { Faulty } from '../faults.ts'
import { type SdJwtTemplateInput, templateError } from '../templates.ts'
import { readType } from './document.ts'

/** The address of a type whose metadata the platform hosts; the version is that of the template that changed it last. */
export const hostedType = (baseUrl: string, templateId: string, version: number): string =>
  `${baseUrl}/v1/credentials/sd-jwt-vc/types/${templateId}/${version}`

/**
 * Type Metadata of a template, as the platform serves it byte for byte (draft-ietf-oauth-sd-jwt-vc, section 6): what
 * readers show, and which claims the holder may leave out.
 */
export function typeDocument(vct: string, template: SdJwtTemplateInput): string {
  const { name, description, display, claims, extends: base, extendsIntegrity } = template
  return JSON.stringify({
    vct,
    name,
    ...(description !== undefined && { description }),
    ...(base !== undefined && { extends: base }),
    ...(extendsIntegrity !== undefined && { 'extends#integrity': extendsIntegrity }),
    display: (display.length > 0 ? display : [{ locale: 'en', name }]).map((each) => {
      const { locale, name: shown, description: text, backgroundColor, textColor, logoUrl } = each
      const simple = {
        ...(backgroundColor !== undefined && { background_color: backgroundColor }),
        ...(textColor !== undefined && { text_color: textColor }),
        ...(logoUrl !== undefined && { logo: { uri: logoUrl } }),
      }
      return {
        locale,
        name: shown,
        ...(text !== undefined && { description: text }),
        ...(Object.keys(simple).length > 0 && { rendering: { simple } }),
      }
    }),
    claims: claims.map(({ path, required, disclosure, display: labels }) => ({
      path,
      sd: disclosure === 'selectively' ? 'always' : 'never',
      ...(required && { mandatory: true }),
      ...(labels && labels.length > 0 && { display: labels }),
    })),
  })
}

const lengthOf = (part: unknown): number => JSON.stringify(part).length

/** What verifiers, this platform among them, would refuse of a document that it hosts; an empty list: nothing. */
export function typeDocumentErrors(
  document: string,
  { claims, display }: Pick<SdJwtTemplateInput, 'claims' | 'display'>,
): FieldError[] {
  try {
    readType(Buffer.from(document))
    return []
  } catch (error) {
    if (!(error instanceof Faulty)) throw error
    // the rules of a template leave over what is too much, of which one of these has most
    const at = lengthOf(display) > lengthOf(claims) ? 'display' : 'claims'
    return [templateError(at, 'hosted_type', `expected less in the hosted metadata: ${error.fault.message}`)]
  }
}
