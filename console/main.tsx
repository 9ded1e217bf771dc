import { render } from 'preact'
import { App } from './app.tsx'
import { takeLink } from './frame/mail-link.ts'
import { chosenLanguage } from './texts/choice.ts'
import { browserLanguage, loadTexts } from './texts/index.ts'

takeLink()
const place = document.getElementById('app')
const first = chosenLanguage() ?? browserLanguage()
if (place) void loadTexts(first).then(() => render(<App first={first} />, place))
