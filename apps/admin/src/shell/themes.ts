import { Monitor, Moon, Sun } from 'lucide-react'

export const themes = [
  { id: 'light', label: 'Light', icon: Sun },
  { id: 'dark', label: 'Dark', icon: Moon },
  { id: 'system', label: 'Like the system', icon: Monitor },
] as const
