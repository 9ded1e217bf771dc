import type { Texts } from '../../texts/index.ts'

/** As docs/accounts.md lists them. */
export const ROLES = ['admin', 'issuer', 'verifier', 'auditor'] as const
export type Role = (typeof ROLES)[number]

export const isRole = (name: string): name is Role => ROLES.some((role) => role === name)

export const roleIn = ({ people }: Texts, name: string): string => (isRole(name) ? people.roles[name] : name)
