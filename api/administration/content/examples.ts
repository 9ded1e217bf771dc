import type { AcceptanceOut, AcceptorOut, LegalPolicyOut } from './legal.wire.ts'
import type { BlogCategoryOut, BlogPostOut, HelpArticleOut } from './wire.ts'

export const HELP_ARTICLE: HelpArticleOut = {
  id: '1f5d0a3c-6b7e-4c21-9d84-0a1b2c3d4e5f',
  slug: 'first-credential',
  title: 'Issue a first credential',
  content: 'Create a **DID**, then sign.',
  html: '<p>Create a <strong>DID</strong>, then sign.</p>\n',
  is_published: 1,
  created_at: '2026-10-01T08:00:00.000Z',
  updated_at: '2026-10-01T08:00:00.000Z',
}

export const BLOG_CATEGORY: BlogCategoryOut = {
  id: '2a6e1b4d-7c8f-4d32-8e95-1b2c3d4e5f60',
  slug: 'releases',
  name: 'Releases',
  description: 'What is new.',
  created_at: '2026-10-01T08:00:00.000Z',
  updated_at: '2026-10-01T08:00:00.000Z',
}

export const BLOG_POST: BlogPostOut = {
  id: '3b7f2c5e-8d90-4e43-9fa6-2c3d4e5f6071',
  slug: 'mobile-credentials',
  author_id: '4c803d6f-9ea1-4f54-a0b7-3d4e5f607182',
  category_id: '2a6e1b4d-7c8f-4d32-8e95-1b2c3d4e5f60',
  title: 'Mobile credentials',
  excerpt: 'Driving licences in wallets.',
  content: 'See the [guide](https://docs.example/mobile).',
  html: '<p>See the <a href="https://docs.example/mobile" rel="noopener">guide</a>.</p>\n',
  image: 'https://cdn.example/licence.png',
  is_published: 1,
  published_at: '2026-10-01T08:00:00.000Z',
  created_at: '2026-10-01T08:00:00.000Z',
  updated_at: '2026-10-01T08:00:00.000Z',
}

export const LEGAL_POLICY: LegalPolicyOut = {
  id: '5d914e70-afb2-4065-b1c8-4e5f60718293',
  slug: 'privacy-policy',
  name: 'Privacy policy',
  version: 1,
  title: 'How we handle personal data',
  content: '# Data\n\nWe keep little.',
  html: '<h1>Data</h1>\n<p>We keep little.</p>\n',
  created_at: '2026-10-01T08:00:00.000Z',
}

export const ACCEPTANCE: AcceptanceOut = {
  account_id: '6ea25f81-b0c3-4176-82d9-5f60718293a4',
  slug: 'privacy-policy',
  version: 1,
  accepted_at: '2026-10-02T09:30:00.000Z',
}

export const ACCEPTOR: AcceptorOut = { ...ACCEPTANCE, email: 'ada@university.example' }
