/** The types of canonicalize 2.1.0 are of an ES module, and its program is none: node gives the function itself. */
declare module 'canonicalize' {
  export default function serialize(input: unknown): string | undefined
}
