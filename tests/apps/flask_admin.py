"""Flask-Admin: a small shop with products, customers and orders."""

from pathlib import Path

from tests.apps.serving import HERE, Record, State, WebApp, keyed, read_rows, sign_in

PRODUCTS = """
select p.id, p.name, c.name as category, printf('%.2f', p.price) as price, p.stock,
       p.on_sale, p.description
from product p left join category c on c.id = p.category_id
"""
CUSTOMERS = "select id, name, email, phone, city, newsletter from customer"
ORDERS = """
select o.id, c.name as customer, o.placed, o.status, o.note
from orders o join customer c on c.id = o.customer_id
"""
LINES = """
select l.order_id, l.quantity || ' x ' || p.name as line
from order_line l left join product p on p.id = l.product_id order by l.id
"""


class App(WebApp):
    """The shop; ada and grace may sign in."""

    name = "flask_admin"
    ready_path = "/login"

    def seed(self, folder: Path) -> None:
        self.run_inside(str(SHOP), str(folder / "shop.db"), "seed", folder=folder)

    def command(self) -> list[str]:
        python, database = self.home / "bin" / "python", self.data / "shop.db"
        return [str(python), str(SHOP), str(database), "serve", str(self.port)]

    def cookies(self) -> dict[str, str]:
        fields = {"username": "ada", "password": "engine1843"}
        return sign_in(self.base + "/login", fields)

    def state(self) -> State:
        database = self.data / "shop.db"
        return {
            "product": keyed(read_rows(database, PRODUCTS)),
            "customer": keyed(read_rows(database, CUSTOMERS)),
            "order": self._orders(database),
            "category": keyed(read_rows(database, "select id, name from category")),
        }

    def _orders(self, database: Path) -> dict[str, Record]:
        orders = keyed(read_rows(database, ORDERS))
        for order in orders.values():
            order["lines"] = []
        for row in read_rows(database, LINES):
            order = orders.setdefault(str(row["order_id"]), {"lines": []})
            order["lines"].append(row["line"])
        return orders


SHOP = HERE / "inside" / "shop.py"
