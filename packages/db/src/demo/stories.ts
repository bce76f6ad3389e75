// What the people of Northwind talk about with their agents. Each telling draws other services, customers and numbers.
import { engineeringStories } from './stories-engineering.ts'
import { officeStories } from './stories-office.ts'
import { supportStories } from './stories-support.ts'
import type { StoryTeller } from './story.ts'

export const stories: StoryTeller[] = [...engineeringStories, ...supportStories, ...officeStories]
