import type { Frame } from '../../frame/index.ts'
import { createLegalAcceptances } from './acceptances.ts'
import { createBlogCategories } from './blog.categories.ts'
import { createBlogPosts } from './blog.posts.ts'
import { createRendering } from './entries.ts'
import { createHelp } from './help.ts'
import { createLegalPolicies } from './legal.ts'

/** Help, blog and legal policies of the platform. */
export function composeContent(frame: Frame) {
  const parts = { ...frame, rendering: createRendering(frame.documents) }
  return {
    help: createHelp(parts),
    blogCategories: createBlogCategories(parts),
    blogPosts: createBlogPosts(parts),
    legalPolicies: createLegalPolicies(parts),
    legalAcceptances: createLegalAcceptances(frame),
  }
}
