import { isIP } from 'node:net'
import type { Json } from '../data-integrity/index.ts'
import type { FieldError } from '../errors.ts'
import { isObject, listOf } from '../json.ts'
import { isUri } from './checks.ts'

/**
 * What wallets show of a credential before anybody checks it: images, a colour, names. We sign nothing there that a
 * wallet could execute, or that would make it call its own network (D-154).
 */

/** Bytes of an inline image. A row of a batch has 64 KiB, and base64 makes four bytes of three. */
export const MAX_IMAGE_BYTES = 32 * 1024

const DATA_URL = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/
const MAX_DATA_URL = 40 + Math.ceil(MAX_IMAGE_BYTES / 3) * 4

/** The first bytes of each image format; for WebP also the four bytes after its length. */
const MAGIC = {
  png: (bytes: Buffer) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  jpeg: (bytes: Buffer) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  webp: (bytes: Buffer) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
} as const

function isInlineImage(value: string): boolean {
  if (value.length > MAX_DATA_URL) return false
  const [, type, text = ''] = DATA_URL.exec(value) ?? []
  if (type !== 'png' && type !== 'jpeg' && type !== 'webp') return false
  const bytes = Buffer.from(text, 'base64')
  return bytes.length <= MAX_IMAGE_BYTES && bytes.toString('base64') === text && MAGIC[type](bytes)
}

/** Host names inside of the reader's own network (RFC 6761, 6762 and 8375; ICANN for `internal`). */
const INWARD = /(^|\.)(localhost|local|internal|home\.arpa)$/
const HOST = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** An https URL with a host name that can be public: no IP address, no user info. */
function isPublicUrl(value: string): boolean {
  if (!isUri(value) || UNSHOWABLE.test(value) || !/^https:\/\/[^/?#@]+(?:[/?#]|$)/i.test(value) || !URL.canParse(value))
    return false
  const { hostname, username, password } = new URL(value)
  return username === '' && password === '' && HOST.test(hostname) && isIP(hostname) === 0 && !INWARD.test(hostname)
}

const isImage = (value: unknown): boolean =>
  typeof value === 'string' && (value.startsWith('data:') ? isInlineImage(value) : isPublicUrl(value))

const HEX_COLOUR = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i

/** The named colours of CSS Color 4, section 6.1. */
const NAMED_COLOURS = new Set(
  `aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood cadetblue
  chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey
  darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray
  darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen
  fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki
  lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen
  lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime
  limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue
  mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive
  olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum
  powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver
  skyblue slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white
  whitesmoke yellow yellowgreen`.split(/\s+/),
)

const isColour = (value: unknown): boolean =>
  typeof value === 'string' && (HEX_COLOUR.test(value) || NAMED_COLOURS.has(value.toLowerCase()))

type Rule = readonly [fits: (value: unknown) => boolean, code: string, expected: string]

const image: Rule = [
  isImage,
  'image',
  `must be an https URL of a public host, or data:image/png, jpeg or webp in base64 of at most ${MAX_IMAGE_BYTES} bytes`,
]
const colour: Rule = [isColour, 'colour', 'must be #rgb, #rrggbb, #rrggbbaa or the name of a CSS colour']

const BRANDING: ReadonlyMap<string, Rule> = new Map([
  ['backgroundColor', colour],
  ['watermarkImageUrl', image],
])

/**
 * Line breaks, invisible characters, and those that change the direction of the text after them (UAX #9, section 2).
 */
const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Descriptions may have several lines. */
const FIELDS = [
  ['name', (text: string) => UNSHOWABLE.test(text)],
  ['description', (text: string) => UNSHOWABLE.test(text.replace(/[\t\n\r]/g, ''))],
] as const

/** Texts of a member: a text, a text with its language, or a list of them. */
const textsOf = (value: unknown): string[] =>
  listOf(value)
    .map((each) => (isObject(each) ? each['@value'] : each))
    .filter((each) => typeof each === 'string')

/**
 * Errors of names and descriptions of an object with characters that change how they are shown. `path`: of the object.
 */
export const shownErrors = (owner: unknown, path: string): FieldError[] =>
  isObject(owner)
    ? FIELDS.filter(([member, unshowable]) => textsOf(owner[member]).some(unshowable)).map(([member]) => ({
        path: `${path}/${member}`,
        code: 'credential.unshowable_text',
        message: 'must have no control characters, and none that change the direction of the text',
      }))
    : []

const broken = (path: string, [, code, message]: Rule): FieldError => ({ path, code: `credential.${code}`, message })

/** credentialBranding {backgroundColor, watermarkImageUrl}, issuer {iconUrl, logoUrl} (specification, signWebSemanticCredential), and names. */
export function brandingErrors(credential: Json): FieldError[] {
  const { credentialBranding, issuer } = credential
  const errors: FieldError[] = [...shownErrors(credential, ''), ...shownErrors(issuer, '/issuer')]
  if (credentialBranding !== undefined && !isObject(credentialBranding))
    errors.push({ path: '/credentialBranding', code: 'credential.object', message: 'must be an object' })
  for (const [name, value] of Object.entries(isObject(credentialBranding) ? credentialBranding : {})) {
    const path = `/credentialBranding/${name}`
    const rule = BRANDING.get(name)
    if (rule === undefined)
      errors.push({ path, code: 'credential.branding', message: 'must be backgroundColor or watermarkImageUrl' })
    else if (!rule[0](value)) errors.push(broken(path, rule))
  }
  for (const name of ['iconUrl', 'logoUrl']) {
    const value = isObject(issuer) ? issuer[name] : undefined
    if (value !== undefined && !isImage(value)) errors.push(broken(`/issuer/${name}`, image))
  }
  return errors
}
