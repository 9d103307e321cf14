import { createServer } from 'node:http'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { app, testForeignHeaders } from '../../test/support/foreign-headers.ts'

testForeignHeaders('Express', () => createServer(express().use((req, res) => void app(req, res))))
testForeignHeaders('Koa', () =>
  createServer(
    new Koa()
      .use(ctx => {
        ctx.respond = false
        return app(ctx.req, ctx.res)
      })
      .callback()
  )
)
testForeignHeaders('Fastify', async () => {
  const instance = fastify()
  instance.addHook('onRequest', (request, reply) => void app(request.raw, reply.hijack().raw))
  instance.all('/hook', () => {})
  await instance.ready()
  return instance.server
})
