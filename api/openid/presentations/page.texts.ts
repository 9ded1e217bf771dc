/** Texts of the page of a request, in one language. `name`: who asks. */
export interface PageTexts {
  title(name: string): string
  lead(name: string): string
  waiting: string
  notAccepted: string
  returning: string
  /** While the script leads back. */
  accepted: string
  checking: string
  refused: string
  expired: string
  over: string
  browserHeading: string
  browserButton: string
  browserFailed: string
  sameHeading: string
  sameLink: string
  otherHeading: string
  scan: string
  qrCode: string
  back(name: string): string
  errorTitle: string
  /** By the code of the problem. */
  errors: { notYours: string; notFound: string; other: string }
}

const EN: PageTexts = {
  title: (name) => `Present to ${name}`,
  lead: (name) => `${name} asks for a credential. Your wallet shows what it would disclose before you agree.`,
  waiting: 'Waiting for your wallet. This page continues by itself.',
  notAccepted: 'The last credential was not accepted. You can present another one.',
  returning: 'Your credential was accepted. Go on in your wallet: it leads you back.',
  accepted: 'Your credential was accepted. You are being led back.',
  checking: 'Your credential is being checked.',
  refused: 'Your wallet declined, or no credential was accepted.',
  expired: 'Nobody presented a credential in time.',
  over: 'This request has ended.',
  browserHeading: 'With this browser',
  browserButton: 'Choose a credential',
  browserFailed: 'Nothing was presented. Try again, or take another way below.',
  sameHeading: 'With a wallet on this device',
  sameLink: 'Open your wallet',
  otherHeading: 'With a wallet on another device',
  scan: 'Scan this code only if you opened this page yourself.',
  qrCode: 'QR code that opens the request in a wallet',
  back: (name) => `Go back to ${name}`,
  errorTitle: 'This page cannot go on',
  errors: {
    notYours: 'This page was opened in another browser. Go on there.',
    notFound: 'There is no such request, or it has ended. Go back to where you came from, and begin again.',
    other: 'The request is not valid. Go back to where you came from, and begin again.',
  },
}

const DE: PageTexts = {
  title: (name) => `Nachweis für ${name}`,
  lead: (name) => `${name} fragt nach einem Nachweis. Ihr Wallet zeigt, was es offenlegt, bevor Sie zustimmen.`,
  waiting: 'Warten auf Ihr Wallet. Diese Seite geht von selbst weiter.',
  notAccepted: 'Der letzte Nachweis wurde nicht angenommen. Sie können einen anderen vorzeigen.',
  returning: 'Ihr Nachweis wurde angenommen. Gehen Sie im Wallet weiter: es führt Sie zurück.',
  accepted: 'Ihr Nachweis wurde angenommen. Sie werden zurückgeführt.',
  checking: 'Ihr Nachweis wird geprüft.',
  refused: 'Ihr Wallet hat abgelehnt, oder kein Nachweis wurde angenommen.',
  expired: 'Niemand hat rechtzeitig einen Nachweis vorgezeigt.',
  over: 'Diese Anfrage ist beendet.',
  browserHeading: 'Mit diesem Browser',
  browserButton: 'Nachweis auswählen',
  browserFailed: 'Es wurde nichts vorgezeigt. Versuchen Sie es noch einmal, oder nehmen Sie unten einen anderen Weg.',
  sameHeading: 'Mit einem Wallet auf diesem Gerät',
  sameLink: 'Wallet öffnen',
  otherHeading: 'Mit einem Wallet auf einem anderen Gerät',
  scan: 'Scannen Sie diesen Code nur, wenn Sie diese Seite selbst geöffnet haben.',
  qrCode: 'QR-Code, der die Anfrage in einem Wallet öffnet',
  back: (name) => `Zurück zu ${name}`,
  errorTitle: 'Diese Seite kann nicht weitergehen',
  errors: {
    notYours: 'Diese Seite wurde in einem anderen Browser geöffnet. Gehen Sie dort weiter.',
    notFound:
      'Diese Anfrage gibt es nicht, oder sie ist beendet. Gehen Sie dorthin zurück, woher Sie kamen, und beginnen Sie neu.',
    other: 'Die Anfrage ist nicht gültig. Gehen Sie dorthin zurück, woher Sie kamen, und beginnen Sie neu.',
  },
}

export const PAGE_LANGUAGES = ['en', 'de'] as const
export type PageLanguage = (typeof PAGE_LANGUAGES)[number]

export const PAGE_TEXTS: Readonly<Record<PageLanguage, PageTexts>> = { en: EN, de: DE }
