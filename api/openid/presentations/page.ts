import type { PageView } from '../../../activities/openid/presentations/pages.ts'
import { escaped, pageHeaders, pageOf } from '../pages.ts'
import { PAGE_TEXTS, type PageLanguage, type PageTexts } from './page.texts.ts'

/** Below the paths of pages. */
export const SCRIPT_NAME = 'page.js'

/** For the page of a request: its own script, and the way back to the verifier. `directory`: where the script is. */
export const requestPageHeaders = (redirectUri: string, directory: string): Readonly<Record<string, string>> =>
  pageHeaders({ script: `${directory}/${SCRIPT_NAME}`, leadsTo: redirectUri })

export interface RequestPage {
  lang: PageLanguage
  view: PageView
  /** Path of the page. */
  base: string
  /** URL of the folder of pages. */
  directory: string
  qrCode: string
}

/** Who asks, for people: by the name of the request, or else by the place that the page leads back to. */
function nameOf({ clientName, redirectUri }: PageView): string {
  const { host, protocol } = new URL(redirectUri)
  return clientName ?? (host || protocol.slice(0, -1))
}

const errorTextOf = (code: string, { errors }: PageTexts): string => {
  if (code === 'openid_presentation.not_yours') return errors.notYours
  return code === 'openid_presentation.not_found' ? errors.notFound : errors.other
}

/** Says what went wrong to somebody who cannot go on. */
export function requestErrorPage(lang: PageLanguage, code: string): string {
  const texts = PAGE_TEXTS[lang]
  const body = `<h1>${escaped(texts.errorTitle)}</h1><p>${escaped(errorTextOf(code, texts))}</p>`
  return pageOf({ lang, title: texts.errorTitle, body })
}

const backForm = ({ base, view, lang }: RequestPage): string =>
  `<form method="post" action="${escaped(base)}/cancel"><button type="submit">${escaped(PAGE_TEXTS[lang].back(nameOf(view)))}</button></form>`

function statusOf({ state, failures }: PageView, texts: PageTexts): string {
  if (state === 'waiting') return failures > 0 ? texts.notAccepted : texts.waiting
  return state === 'done' ? texts.accepted : texts[state]
}

/** The ways to a wallet: by the browser, which the script shows where there is one, by the link, and by the code. */
function waysOf({ view: { sameDeviceUri }, qrCode }: RequestPage, texts: PageTexts): string {
  const link =
    sameDeviceUri === null
      ? ''
      : `<h2>${escaped(texts.sameHeading)}</h2><a class="act" href="${escaped(sameDeviceUri)}">${escaped(texts.sameLink)}</a>`
  return `<section id="browser" hidden><h2>${escaped(texts.browserHeading)}</h2>
<button id="ask" class="act" type="button">${escaped(texts.browserButton)}</button></section>
${link}
<details id="other" open><summary>${escaped(texts.otherHeading)}</summary>
<p id="scan">${escaped(texts.scan)}</p>
<img class="qr" src="${escaped(qrCode)}" alt="${escaped(texts.qrCode)}" aria-describedby="scan"></details>`
}

/** The page of a request. It works without a script: the link is a link, and the page loads itself again. */
export function requestPage(shown: RequestPage): string {
  const { lang, view, base, directory } = shown
  const texts = PAGE_TEXTS[lang]
  const name = nameOf(view)
  const title = texts.title(name)
  const isOpen = view.state === 'waiting'
  const isUnderWay = isOpen || view.state === 'returning'
  const lead = isOpen ? `<p>${escaped(texts.lead(name))}</p>` : ''
  return pageOf({
    lang,
    title,
    body: `<h1>${escaped(title)}</h1>${lead}
<p role="status">${escaped(statusOf(view, texts))}</p>
${isOpen ? waysOf(shown, texts) : ''}${backForm(shown)}`,
    ...(isUnderWay && {
      data: {
        ...{
          state: `${base}/state`,
          done: `${base}/done`,
          request: `${base}/browser-request`,
          answer: `${base}/answer`,
        },
        ...{ failures: String(view.failures), seen: view.state },
        ...{ accepted: texts.accepted, checking: texts.checking, failed: texts.browserFailed },
      },
      refreshSeconds: 5,
      script: `<script src="${escaped(directory)}/${SCRIPT_NAME}" defer></script>`,
    }),
  })
}
