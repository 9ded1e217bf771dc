/**
 * Patterns of texts of any script, as the documents show them. Patterns of OpenAPI 3.0 are those of ECMA-262 5.1, where no
 * \p{…} stands for a class of characters, so that the classes are spelt out here: a text that the platform takes matches.
 * The exact rules are the platform's own.
 */

const CONTROLS = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029`
const TURNS = String.raw`\u202a-\u202e\u2066-\u2069`
/** Characters that nothing is seen of, with private ones, which no two readers see alike. */
const HIDDEN = String.raw`\u00ad\u061c\u180e\u200b-\u200f\u2060-\u206f\ufeff\ufff9-\ufffb\ue000-\uf8ff`

/** One line, with something to read on it. */
const line = (never: string) => String.raw`^[^${never}]*[^\s${never}${HIDDEN}][^${never}]*$`

/** The form of a name for people that must not change the direction of what follows, by any character. */
export const LABEL_PATTERN = line(String.raw`${CONTROLS}${TURNS}\u061c\u200e\u200f`)

/** The form of a line that wallets show: marks of direction are part of names in Arabic and Hebrew. */
export const LINE_PATTERN = line(`${CONTROLS}${TURNS}`)

const UNPRINTED = `${CONTROLS}${TURNS}${HIDDEN}`

/** The form of a text without white space and hidden characters; `first` says what it must not begin with. */
export const wordPattern = (first = ''): string => String.raw`^[^\s${first}${UNPRINTED}][^\s${UNPRINTED}]*$`

/** The form of one line of characters that are seen, from the first to the last one; `never` has the others. */
export const printedPattern = (never = '', ends = ''): string =>
  String.raw`^[^\s${ends}${UNPRINTED}${never}]([^${UNPRINTED}${never}]*[^\s${ends}${UNPRINTED}${never}])?$`
