/** Operations of access tokens and of the log, as protocol/operations.ts describes them. */
export const TOKEN_AND_LOG_OPERATIONS = {
  getOAuthAccessToken: { name: 'OAUTH_TOKEN_CREATE', category: 'openid' },
  getListOfLogs: { scope: 'logs:read', name: 'ANALYTICS_EVENT_RETRIEVE_LIST', category: 'analytics' },
  getLogCounts: { scope: 'logs:read', name: 'ANALYTICS_EVENT_COUNT', category: 'analytics' },
  getLogEventTypes: { scope: 'logs:read', name: 'ANALYTICS_EVENT_TYPE_RETRIEVE_LIST', category: 'analytics' },
  getLogHead: { scope: 'logs:read', name: 'ANALYTICS_HEAD_RETRIEVE', category: 'analytics' },
  verifyLog: { scope: 'logs:read', name: 'ANALYTICS_EVENT_VERIFY', category: 'analytics' },
  exportLogs: { scope: 'logs:read', name: 'ANALYTICS_EVENT_EXPORT', category: 'analytics' },
} as const
