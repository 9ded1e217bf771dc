export const SD_JWT = 'sd-jwt-vc'

/** The claims of a person identification, of which the holder may leave out each. */
export const sdJwtClaims = (number: string) => ({
  vct: 'https://credentials.example/identity',
  family_name: 'Lovelace',
  given_name: 'Ada Augusta',
  birthdate: '1990-12-10',
  document_number: number,
  email: 'ada@university.example',
  nationality: 'NL',
  street_address: 'Example Street 1',
  locality: 'Example Town',
  postal_code: '1000 AA',
  age_over_18: true,
})

/** Names of the claims that are selectively disclosable: all but the type. */
export const SELECTIVE: Exclude<keyof ReturnType<typeof sdJwtClaims>, 'vct'>[] = [
  'family_name',
  'given_name',
  'birthdate',
  'document_number',
  'email',
  'nationality',
  'street_address',
  'locality',
  'postal_code',
  'age_over_18',
]
