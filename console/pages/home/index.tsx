import type { Area } from '../area.ts'
import { HomePage } from './home.tsx'

export const home: Area = {
  needs: [],
  page: ({ standing }) => <HomePage standing={standing} />,
}
