# mypy: ignore-errors
"""A small shop under Flask-Admin: products, customers and orders.

``shop.py DATABASE seed`` fills a new database, ``shop.py DATABASE serve PORT`` serves it.
"""

import sys
from datetime import date

from flask import Flask, flash, redirect, render_template_string, request, url_for
from flask_admin import Admin, AdminIndexView, expose
from flask_admin.contrib.sqla import ModelView
from flask_admin.menu import MenuLink
from flask_admin.theme import Bootstrap4Theme
from flask_login import (
    LoginManager,
    UserMixin,
    current_user,
    login_user,
    logout_user,
)
from flask_sqlalchemy import SQLAlchemy
from jinja2 import DictLoader

STATUSES = [(name, name.title()) for name in ("new", "paid", "shipped", "delivered", "cancelled")]
PEOPLE = {"ada": "engine1843", "grace": "cobol1959"}

LOGIN = """<!doctype html><html lang="en"><head><title>Corner Shop: Sign in</title></head><body>
<h1>Corner Shop</h1>
{% for text in get_flashed_messages() %}<p role="alert">{{ text }}</p>{% endfor %}
<form method="post"><p><label>Username <input name="username" autofocus></label></p>
<p><label>Password <input name="password" type="password"></label></p>
<p><label><input name="remember" type="checkbox"> Keep me signed in</label></p>
<p><button>Sign in</button></p></form></body></html>"""

HOME = """{% extends "admin/master.html" %}{% block body %}<h1>Corner Shop</h1>
<p>Signed in as {{ user }}.</p>
<p>{{ products }} products, {{ customers }} customers, {{ orders }} orders.</p>{% endblock %}"""

db = SQLAlchemy()


class Person(UserMixin):
    def __init__(self, name):
        self.id = name


class Category(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(60), unique=True, nullable=False)

    def __str__(self):
        return self.name


class Product(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(80), nullable=False)
    category_id = db.Column(db.ForeignKey("category.id"))
    price = db.Column(db.Numeric(10, 2), nullable=False)
    stock = db.Column(db.Integer, nullable=False, default=0)
    on_sale = db.Column(db.Boolean, nullable=False, default=False)
    description = db.Column(db.Text)
    category = db.relationship(Category, backref="products")

    def __str__(self):
        return self.name


class Customer(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(80), nullable=False)
    email = db.Column(db.String(120), nullable=False)
    phone = db.Column(db.String(40))
    city = db.Column(db.String(60))
    newsletter = db.Column(db.Boolean, nullable=False, default=False)

    def __str__(self):
        return self.name


class Order(db.Model):
    __tablename__ = "orders"
    id = db.Column(db.Integer, primary_key=True)
    customer_id = db.Column(db.ForeignKey("customer.id"), nullable=False)
    placed = db.Column(db.Date)
    status = db.Column(db.String(20), nullable=False, default="new")
    note = db.Column(db.Text)
    customer = db.relationship(Customer, backref="orders")
    lines = db.relationship("OrderLine", backref="order", cascade="all, delete-orphan")

    def __str__(self):
        return f"Order {self.id}"


class OrderLine(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    order_id = db.Column(db.ForeignKey("orders.id"))
    product_id = db.Column(db.ForeignKey("product.id"), nullable=False)
    quantity = db.Column(db.Integer, nullable=False, default=1)
    product = db.relationship(Product)

    def __str__(self):
        return f"{self.quantity} x {self.product}"


class Guarded:
    page_size = 10
    page_size_options = (10, 20, 50)
    can_view_details = True
    can_set_page_size = True

    def is_accessible(self):
        return current_user.is_authenticated

    def inaccessible_callback(self, name, **_):
        return redirect(url_for("login", next=request.path))


class Home(Guarded, AdminIndexView):
    @expose("/")
    def index(self):
        counts = {
            "products": Product.query.count(),
            "customers": Customer.query.count(),
            "orders": Order.query.count(),
        }
        return self.render("home.html", user=current_user.id, **counts)


class ProductView(Guarded, ModelView):
    column_list = ["name", "category", "price", "stock", "on_sale"]
    column_searchable_list = ["name", "description"]
    column_filters = ["category.name", "price", "stock", "on_sale"]
    column_sortable_list = ["name", ("category", "category.name"), "price", "stock"]
    form_columns = ["name", "category", "price", "stock", "on_sale", "description"]
    column_labels = {"on_sale": "On sale"}


class CustomerView(Guarded, ModelView):
    column_list = ["name", "email", "phone", "city", "newsletter"]
    column_searchable_list = ["name", "email", "city"]
    column_filters = ["city", "newsletter"]
    form_columns = ["name", "email", "phone", "city", "newsletter"]


class OrderView(Guarded, ModelView):
    column_list = ["id", "customer", "placed", "status", "lines"]
    column_labels = {"id": "Number"}
    column_searchable_list = ["customer.name", "note"]
    column_filters = ["status", "placed"]
    column_choices = {"status": STATUSES}
    form_choices = {"status": STATUSES}
    form_columns = ["customer", "placed", "status", "note"]
    inline_models = [(OrderLine, {"form_columns": ["id", "product", "quantity"]})]


class CategoryView(Guarded, ModelView):
    form_columns = ["name"]


def login():
    if request.method == "POST":
        name = request.form["username"]
        if PEOPLE.get(name) == request.form["password"]:
            login_user(Person(name), remember="remember" in request.form)
            return redirect(url_for("admin.index"))
        flash("Wrong username or password.")
    return render_template_string(LOGIN)


def logout():
    logout_user()
    return redirect(url_for("login"))


def make_app(database):
    app = Flask(__name__)
    app.config["SECRET_KEY"] = "for tests only"
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{database}"
    db.init_app(app)
    people = LoginManager(app)
    people.user_loader(lambda name: Person(name) if name in PEOPLE else None)
    app.add_url_rule("/login", view_func=login, methods=["GET", "POST"])
    app.add_url_rule("/logout", view_func=logout)
    app.add_url_rule("/", "start", lambda: redirect(url_for("admin.index")))
    app.jinja_loader = DictLoader({"home.html": HOME})
    admin = Admin(app, "Corner Shop", theme=Bootstrap4Theme(), index_view=Home(url="/admin"))
    admin.add_view(ProductView(Product, db, name="Products"))
    admin.add_view(CustomerView(Customer, db, name="Customers"))
    admin.add_view(OrderView(Order, db, name="Orders"))
    admin.add_view(CategoryView(Category, db, name="Categories"))
    admin.add_link(MenuLink("Sign out", url="/logout"))
    return app


PRODUCTS = [
    ("Teapot", "Kitchen", "24.50", 12, False, "Glazed stoneware, one litre."),
    ("Desk lamp", "Lighting", "39.00", 7, True, "Adjustable arm, warm light."),
    ("Floor lamp", "Lighting", "89.00", 3, False, "Oak foot, linen shade."),
    ("Wool blanket", "Textiles", "65.00", 15, True, "Merino, 130 by 180 cm."),
    ("Bread knife", "Kitchen", "31.20", 20, False, "Serrated, 21 cm."),
    ("Cushion", "Textiles", "18.00", 40, False, None),
    ("Bookshelf", "Furniture", "149.00", 2, False, "Pine, five boards."),
    ("Stool", "Furniture", "45.00", 9, False, "Beech, stackable."),
    ("Candle", "Lighting", "6.50", 120, True, None),
    ("Coffee grinder", "Kitchen", "54.90", 5, False, "Hand crank, steel burrs."),
    ("Doormat", "Textiles", "22.00", 18, False, "Coconut fibre."),
    ("Wall clock", "Furniture", "35.00", 6, False, "Silent movement."),
    ("Salad bowl", "Kitchen", "27.80", 0, False, "Olive wood."),
    ("Curtain", "Textiles", "48.00", 11, False, "Linen, 140 by 250 cm."),
]
CUSTOMERS = [
    ("Ines Moreira", "ines.moreira@example.org", "+351 21 555 0133", "Lisbon", True),
    ("Jonas Weber", "jonas.weber@example.org", "+49 30 555 0171", "Berlin", False),
    ("Akiko Tanaka", "akiko.tanaka@example.org", "+81 3 5555 0102", "Tokyo", True),
    ("Tom Baker", "tom.baker@example.org", "+44 20 5550 0119", "London", False),
    ("Sofia Rossi", "sofia.rossi@example.org", "+39 06 555 0144", "Rome", True),
    ("Lena Baker", "lena.baker@example.org", None, "Leeds", False),
    ("Piet de Vries", "piet.devries@example.org", "+31 20 555 0188", "Utrecht", False),
    ("Maria Silva", "maria.silva@example.org", "+351 22 555 0150", "Porto", False),
    ("Maria Silva", "m.silva@example.com", "+55 11 5555 0161", "Santos", True),
    ("Olu Adeyemi", "olu.adeyemi@example.org", "+234 1 555 0127", "Lagos", True),
    ("Claire Dubois", "claire.dubois@example.org", "+33 1 55 50 01 05", "Lyon", False),
]
ORDERS = [
    (1, date(2024, 3, 2), "delivered", None, [(1, 1), (6, 2)]),
    (2, date(2024, 3, 9), "shipped", "Leave with the neighbour.", [(7, 1)]),
    (3, date(2024, 3, 11), "paid", None, [(9, 10)]),
    (4, date(2024, 3, 12), "new", None, [(2, 1), (10, 1)]),
    (5, date(2024, 3, 15), "new", "Gift wrap, please.", [(4, 1)]),
    (7, date(2024, 3, 18), "cancelled", None, [(3, 1)]),
    (10, date(2024, 3, 21), "paid", None, [(8, 4)]),
    (11, date(2024, 3, 25), "new", None, [(5, 1), (13, 1)]),
]


def seed():
    db.create_all()
    categories = {name: Category(name=name) for name in sorted({row[1] for row in PRODUCTS})}
    db.session.add_all(categories.values())
    for name, category, *rest in PRODUCTS:
        keys = ("price", "stock", "on_sale", "description")
        fields = dict(zip(keys, rest, strict=True))
        db.session.add(Product(name=name, category=categories[category], **fields))
    for row in CUSTOMERS:
        keys = ("name", "email", "phone", "city", "newsletter")
        db.session.add(Customer(**dict(zip(keys, row, strict=True))))
    for customer, placed, status, note, lines in ORDERS:
        order = Order(customer_id=customer, placed=placed, status=status, note=note)
        order.lines = [OrderLine(product_id=which, quantity=count) for which, count in lines]
        db.session.add(order)
        db.session.flush()
    db.session.commit()


def main():
    database, deed, *rest = sys.argv[1:]
    app = make_app(database)
    if deed == "seed":
        with app.app_context():
            seed()
    else:
        app.run("127.0.0.1", int(rest[0]), threaded=True)


if __name__ == "__main__":
    main()
