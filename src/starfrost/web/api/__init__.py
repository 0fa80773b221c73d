"""The JSON interface under /api, for clients and bot authors."""

from fastapi import APIRouter

from starfrost.web.api import daily, guests, stream, tables

__all__ = ["router"]

router = APIRouter()
router.include_router(guests.router)
router.include_router(tables.router)
router.include_router(stream.router)
router.include_router(daily.router)
