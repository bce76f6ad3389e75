/** Near enough to Slack that what is wrong with a card is seen. */
export const style = `
:root { color-scheme: light dark; --ink: #1d1c1d; --quiet: #616061; --paper: #fff; --line: #dddddd; --link: #1264a3; --code: #f8f8f8 }
@media (prefers-color-scheme: dark) { :root { --ink: #d1d2d3; --quiet: #ababad; --paper: #1a1d21; --line: #35373b; --link: #1d9bd1; --code: #232529 } }
body { margin: 0 auto; max-width: 720px; padding: 16px; background: var(--paper); color: var(--ink); font: 15px/1.46 Lato, system-ui, sans-serif }
header { border-bottom: 1px solid var(--line); padding-bottom: 8px; margin-bottom: 8px; font-weight: 700 }
article { display: flex; gap: 8px; padding: 8px 0 }
article.note { opacity: .85 } article.note .name::after { content: ' · only visible to you'; font-weight: 400; color: var(--quiet) }
.face { flex: none; width: 36px; height: 36px; border-radius: 6px; color: #fff; text-align: center; line-height: 36px; font-weight: 700 }
.body { flex: 1; min-width: 0 } .name { font-weight: 900 } .app { font-size: 10px; background: var(--line); border-radius: 2px; padding: 1px 3px; margin-left: 4px }
time, small, .quiet, .context { color: var(--quiet); font-size: 12px }
a { color: var(--link) } .mention { background: #1d9bd11a; color: var(--link); border-radius: 3px; padding: 0 2px }
.block { margin: 4px 0; overflow-wrap: anywhere } .section { display: flex; gap: 12px } .section .text { flex: 1; min-width: 0 }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; margin-top: 8px } h2 { font-size: 18px; margin: 4px 0 }
hr { border: 0; border-top: 1px solid var(--line) } blockquote { border-left: 4px solid var(--line); margin: 0; padding-left: 8px }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 4px; padding: 8px; margin: 4px 0; white-space: pre-wrap; font: 12px/1.5 ui-monospace, monospace }
code { background: var(--code); border: 1px solid var(--line); border-radius: 3px; color: #e01e5a; padding: 1px 3px; font: 12px ui-monospace, monospace } pre code { all: unset }
table { border-collapse: collapse; margin: 4px 0 } th, td { border: 1px solid var(--line); padding: 4px 8px; text-align: left }
.md p { margin: 4px 0 } .md ul, .md ol { margin: 4px 0; padding-left: 24px }
button { font: 700 13px Lato, system-ui, sans-serif; border: 1px solid var(--line); background: var(--paper); color: var(--ink); border-radius: 4px; padding: 5px 12px; margin: 2px 8px 2px 0 }
button.primary { background: #007a5a; border-color: #007a5a; color: #fff } button.danger { background: #e01e5a; border-color: #e01e5a; color: #fff } button.quiet { border: 0; padding: 2px 6px }
select, input[type=text], textarea { font: inherit; font-size: 13px; border: 1px solid var(--line); border-radius: 4px; padding: 4px 8px; max-width: 100% } input[type=text], textarea { width: 100%; box-sizing: border-box }
.choice { display: block } .card, .container, .alert { border: 1px solid var(--line); border-radius: 8px; padding: 12px } .alert .error { color: #e01e5a } .alert .warning { color: #b8860b }
.image, .file { display: inline-block; border: 1px solid var(--line); border-radius: 8px; padding: 6px 10px; font-size: 13px } .image.big { padding: 40px }
.task { padding: 2px 0 } .task .icon { display: inline-block; width: 16px } .task.complete .icon { color: #007a5a } .task.error .icon { color: #e01e5a } .task .more { color: var(--quiet); font-size: 13px; margin-left: 20px }
.plan { border: 1px solid var(--line); border-radius: 8px; padding: 8px 12px } .reaction { border: 1px solid var(--line); border-radius: 12px; font-size: 12px; padding: 1px 8px }
.status { color: var(--quiet); font-size: 13px; padding: 8px 0 8px 44px } .stream { color: var(--quiet); font-size: 12px }
`
