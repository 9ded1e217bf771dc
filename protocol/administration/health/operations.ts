/**
 * Operations of health, as protocol/operations.ts describes them. The category is that of requests that look at the
 * platform: pages ask every few seconds.
 */
export const HEALTH_OPERATIONS = {
  getHealth: { operatorScope: 'platform:read', name: 'HEALTH_RETRIEVE', category: 'analytics' },
} as const
