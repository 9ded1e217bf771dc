import { category, helpArticle, policy, post } from '../../content.ts'
import type { Example } from './particular.ts'
import type { Sample } from './sample.ts'

const ofCategory = ({ categorySlug: slug }: Sample) => ({ slug })
const ofPolicy = ({ policySlug: slug }: Sample) => ({ slug })

export const CONTENT_EXAMPLES: Record<string, Example> = {
  createHelpArticle: { body: () => helpArticle() },
  deleteHelpArticle: { path: ({ spareHelpArticleId: id }) => ({ id }) },
  createBlogCategory: { body: () => category() },
  getBlogCategory: { path: ofCategory },
  updateBlogCategory: { path: ofCategory },
  deleteBlogCategory: { path: ({ spareCategorySlug: slug }) => ({ slug }) },
  createBlogPost: { body: ({ categoryId }) => post(categoryId) },
  updateBlogPost: { body: ({ categoryId }) => ({ ...post(categoryId), slug: undefined }) },
  deleteBlogPost: { path: ({ sparePostId: id }) => ({ id }) },
  createLegalPolicy: { body: () => policy() },
  getLegalPolicy: { path: ofPolicy },
  // a policy of its own: the version that others accept stays the newest
  createLegalPolicyVersion: { path: ({ sparePolicySlug: slug }) => ({ slug }) },
  listLegalPolicyVersions: { path: ofPolicy },
  getLegalPolicyVersion: { path: (sample) => ({ ...ofPolicy(sample), version: '1' }) },
  acceptLegalPolicy: { path: ofPolicy },
  listLegalPolicyAcceptances: { path: ofPolicy },
}
