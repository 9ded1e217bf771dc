/** What each `type` of an error answer means. A test finds every code that the platform throws in this list. */
export const PROBLEMS: { code: string; status: number; meaning: string }[] = [
  {
    code: 'internal',
    status: 500,
    meaning: 'Something failed that we did not foresee; the log has it under the instance.',
  },
]
