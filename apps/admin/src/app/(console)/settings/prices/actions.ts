'use server'

import { z } from 'zod'
import { adminAction } from '../../../../admin-action.ts'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'
import { amounts } from './amounts.ts'

export const savePrice = adminAction({
  needs: 'admin',
  shape: data.priceShape.extend({ model: data.modelNameShape }),
  read: (form) => ({
    model: form.get('model'),
    // What is left empty follows from the price of input; of input and output the shape says that they are missing.
    ...Object.fromEntries(
      amounts.flatMap(({ name }) => {
        const typed = String(form.get(name) ?? '').trim()
        return typed ? [[name, Number(typed)]] : []
      }),
    ),
  }),
  work: async ({ model, ...price }, { membership, actor }) => {
    const { workspaceId } = membership
    const changed = await data.setPrice(runtime().db, { workspaceId, model, price, actor })
    return changed ? `${model} has this price from now on.` : `${model} has this price already.`
  },
})

export const removePrice = adminAction({
  needs: 'admin',
  shape: z.object({ model: z.string() }),
  work: async ({ model }, { membership, actor }) => {
    const { workspaceId } = membership
    const removed = await data.removePrice(runtime().db, { workspaceId, model, actor })
    return removed ? `The price of ${model} is removed.` : `${model} has no price of its own any more.`
  },
})
