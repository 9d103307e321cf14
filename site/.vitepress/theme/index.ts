import { type EnhanceAppContext, type Router, withBase } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { movedTo } from '../../moved.ts'
import ExplainRequest from './ExplainRequest.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app, router }: EnhanceAppContext) {
    app.component('ExplainRequest', ExplainRequest)
    if (import.meta.env.SSR) return
    leadOldAddresses()
    loadExplainByItself(router)
  }
}

/** Leads the address of a section that is elsewhere now to its new place. */
function leadOldAddresses(): void {
  const anchor = location.hash.slice(1)
  if (anchor === '' || document.getElementById(anchor) !== null) return
  const target = movedTo(location.pathname.slice(withBase('/').length), anchor)
  if (target !== undefined) location.replace(withBase(`/${target}`))
}

/** The page that explains has a policy of its own, so the browser must load it, and then the page after it, anew. */
function loadExplainByItself(router: Router): void {
  const isExplain = (address: string) => new URL(address, location.href).pathname.startsWith(withBase('/explain/'))
  router.onBeforeRouteChange = to => {
    if (isExplain(to) === isExplain(location.href)) return true
    location.assign(to)
    return false
  }
}
