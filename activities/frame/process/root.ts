/** The project's folder, also for what is compiled to build/app. */
export const ROOT = new URL(import.meta.url.endsWith('.ts') ? '../../../' : '../../../../../', import.meta.url)
