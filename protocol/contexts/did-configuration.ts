const terms = (namespace: string, names: string[]) => ({
  '@context': {
    '@version': 1.1,
    '@protected': true,
    ...Object.fromEntries(names.map((name) => [name, namespace + name])),
  },
})

/** The terms of Well Known DID Configuration 1.0 (DIF), which no package publishes. */
export const didConfigurationV1 = terms('https://identity.foundation/.well-known/resources/did-configuration/#', [
  'LinkedDomains',
  'DomainLinkageCredential',
  'origin',
  'linked_dids',
])

/** Draft 0.2 of the same, still written by many issuers. */
export const didConfigurationV02 = terms('https://identity.foundation/.well-known/contexts/did-configuration-v0.2#', [
  'DomainLinkageCredential',
  'origin',
  'linked_dids',
])
