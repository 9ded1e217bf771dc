import { render } from 'preact'
import { App } from './app.tsx'
import { takeLink } from './frame/mail-link.ts'

takeLink()
const place = document.getElementById('app')
if (place) render(<App />, place)
