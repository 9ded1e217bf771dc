const write = 'platform:write'
const help = 'help-article'
const blog = 'blog'
const legal = 'legal-policy'

/** Operations of content that change something; what is published is read by anybody, and has no entries in the log. */
export const CONTENT_OPERATIONS = {
  createHelpArticle: { scope: write, name: 'HELP_ARTICLE_CREATE', category: help, changes: true },
  updateHelpArticle: { scope: write, name: 'HELP_ARTICLE_UPDATE', category: help, changes: true },
  deleteHelpArticle: { scope: write, name: 'HELP_ARTICLE_DELETE', category: help, changes: true },
  createBlogCategory: { scope: write, name: 'BLOG_CATEGORY_CREATE', category: blog, changes: true },
  updateBlogCategory: { scope: write, name: 'BLOG_CATEGORY_UPDATE', category: blog, changes: true },
  deleteBlogCategory: { scope: write, name: 'BLOG_CATEGORY_DELETE', category: blog, changes: true },
  createBlogPost: { scope: write, name: 'BLOG_POST_CREATE', category: blog, changes: true },
  updateBlogPost: { scope: write, name: 'BLOG_POST_UPDATE', category: blog, changes: true },
  deleteBlogPost: { scope: write, name: 'BLOG_POST_DELETE', category: blog, changes: true },
  createLegalPolicy: { scope: write, name: 'LEGAL_POLICY_CREATE', category: legal, changes: true },
  createLegalPolicyVersion: { scope: write, name: 'LEGAL_POLICY_VERSION_CREATE', category: legal, changes: true },
  acceptLegalPolicy: { scope: 'accounts:write', name: 'LEGAL_POLICY_ACCEPT', category: legal, changes: true },
  listLegalAcceptances: { scope: 'platform:read', name: 'LEGAL_ACCEPTANCE_RETRIEVE_LIST', category: legal },
  listLegalPolicyAcceptances: {
    scope: 'accounts:read',
    name: 'LEGAL_POLICY_ACCEPTANCE_RETRIEVE_LIST',
    category: legal,
  },
} as const
