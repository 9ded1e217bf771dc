import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  type PDFObject,
  PDFRef,
  PDFStream,
  PDFString,
} from 'pdf-lib'

/** Members that bring code, other files or content from elsewhere (ISO 32000-2). */
const MEMBERS: Record<string, string> = {
  JS: 'JavaScript',
  JavaScript: 'JavaScript',
  AA: 'actions of its own (AA)',
  EmbeddedFiles: 'embedded files',
  EF: 'embedded files',
  Collection: 'a portfolio (Collection)',
  XFA: 'an XFA form',
  OPI: 'content of another file (OPI)',
  FFilter: 'a stream of another file',
}

/** Actions (ISO 32000-2, table 201) that do more than to go to a page of this document or to open a link. */
const ACTIONS: ReadonlySet<string> = new Set(
  'JavaScript Launch SubmitForm ResetForm ImportData GoToR GoToE GoToDp Thread Sound Movie Hide SetOCGState Rendition Trans GoTo3DView RichMediaExecute'.split(
    ' ',
  ),
)

/** Annotations that play or contain files. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  'FileAttachment Sound Movie Screen RichMedia 3D PrinterMark TrapNet'.split(' '),
)

/** Schemes of links that a reader of a pass may follow (D-340). */
const LINK = /^(?:https?|mailto|tel):/i

/** The target of a link; undefined where it is no text. */
const targetOf = (object: PDFObject | undefined): string | undefined =>
  object instanceof PDFString || object instanceof PDFHexString ? object.decodeText() : undefined

const nameOf = (object: PDFObject | undefined): string | undefined =>
  object instanceof PDFName ? object.decodeText() : undefined

/** A member by its name, also where the name is written with escapes. */
const membersOf = (dict: PDFDict): [string, PDFObject][] =>
  dict.entries().map(([name, value]) => [name.decodeText(), value])

function dangerIn(dict: PDFDict, lookup: (object: PDFObject | undefined) => PDFObject | undefined): string | undefined {
  const members = new Map(membersOf(dict))
  for (const [name, what] of Object.entries(MEMBERS)) if (members.has(name)) return what
  const action = nameOf(lookup(members.get('S')))
  if (action !== undefined && ACTIONS.has(action)) return `an action ${action}`
  if (action === 'URI' && !LINK.test(targetOf(lookup(members.get('URI'))) ?? ''))
    return 'a link to something else than https, http, mailto or tel'
  const subtype = nameOf(lookup(members.get('Subtype')))
  if (subtype === 'Form' && members.has('Ref')) return 'content of another file (Ref)'
  if (subtype !== undefined && ANNOTATIONS.has(subtype)) return `an annotation ${subtype}`
  return undefined
}

/**
 * The first thing in a PDF that a pass must not have: code, other files, actions that do more than to open a link. All
 * objects are looked at, also those that nothing refers to.
 */
export function dangerOf({ context, catalog }: PDFDocument): string | undefined {
  const lookup = (object: PDFObject | undefined) => (object instanceof PDFRef ? context.lookup(object) : object)
  const pending: PDFObject[] = context.enumerateIndirectObjects().map(([, object]) => object)
  for (let object = pending.pop(); object; object = pending.pop()) {
    if (object instanceof PDFStream && object.dict.has(PDFName.of('F'))) return 'a stream of another file'
    const dict = object instanceof PDFStream ? object.dict : object
    if (dict instanceof PDFDict) {
      const danger = dangerIn(dict, lookup)
      if (danger) return danger
      for (const each of dict.values()) pending.push(each)
    } else if (dict instanceof PDFArray) for (const each of dict.asArray()) pending.push(each)
  }
  const opened = lookup(catalog.get(PDFName.of('OpenAction')))
  const isLink = opened instanceof PDFDict && nameOf(lookup(opened.get(PDFName.of('S')))) !== 'GoTo'
  return isLink ? 'an action when it is opened (OpenAction)' : undefined
}

/** Deletes the objects that nothing refers to any more, so that they do not leave with the document. */
export function dropUnused({ context }: PDFDocument): void {
  const { Root, Info } = context.trailerInfo
  const seen = new Set<PDFObject>()
  const pending = [Root, Info]
  for (let object = pending.pop(); pending.length > 0 || object; object = pending.pop()) {
    if (!object || seen.has(object)) continue
    seen.add(object)
    if (object instanceof PDFRef) pending.push(context.lookup(object))
    else if (object instanceof PDFStream) for (const each of object.dict.values()) pending.push(each)
    else if (object instanceof PDFDict) for (const each of object.values()) pending.push(each)
    else if (object instanceof PDFArray) for (const each of object.asArray()) pending.push(each)
  }
  for (const [ref] of context.enumerateIndirectObjects()) if (!seen.has(ref)) context.delete(ref)
}
