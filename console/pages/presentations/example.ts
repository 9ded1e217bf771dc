/** The example of docs/sign-in.md. */
export const EXAMPLE = {
  domain: 'university.example',
  name: 'Your course certificate',
  query: [
    {
      type: 'QueryByExample',
      credentialQuery: [
        {
          required: true,
          example: {
            '@context': ['https://www.w3.org/ns/credentials/v2', { course: 'https://schema.org/courseCode' }],
            type: 'VerifiableCredential',
            credentialSubject: { course: {} },
          },
        },
      ],
    },
  ],
}
